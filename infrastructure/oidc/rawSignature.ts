const COORDINATE_BYTES = 32;

/**
 * Converts an ECDSA P-256 signature to the JWS format (RFC 7518 §3.4): two numbers of 32 bytes each.
 *
 * @param der SEQUENCE of two INTEGERs, as the key vault signs
 */
export function ecdsaToRaw(der: Uint8Array): Buffer {
  const [r, next] = integerAt(der, 2);
  const [s] = integerAt(der, next);
  return Buffer.concat([fixed(r), fixed(s)]);
}

/** The lengths of a P-256 signature need one byte each. */
function integerAt(der: Uint8Array, at: number): readonly [Uint8Array, number] {
  const length = der[at + 1] ?? 0;
  const end = at + 2 + length;
  if (der[at] !== 0x02 || end > der.length) throw new Error('The signature is no ECDSA-Sig-Value.');
  return [der.subarray(at + 2, end), end];
}

function fixed(integer: Uint8Array): Buffer {
  const digits = Buffer.from(integer).subarray(Math.max(0, integer.length - COORDINATE_BYTES));
  return Buffer.concat([Buffer.alloc(COORDINATE_BYTES - digits.length), digits]);
}
