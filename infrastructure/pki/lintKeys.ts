import { createPublicKey } from 'node:crypto';

/** SubjectPublicKeyInfo of a named curve up to its uncompressed point (RFC 5480 §2.1, §2.2). */
const ecKeys = {
  'P-256': Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex'),
  'P-384': Buffer.from('3076301006072a8648ce3d020106052b8104002203620004', 'hex'),
} as const;

/** True when a SubjectPublicKeyInfo (DER) is of that type, well-formed, and strong enough (ETSI TS 119 312). */
export function isAllowedKey(publicKey: Buffer, keyType: keyof typeof ecKeys | 'RSA'): boolean {
  if (keyType !== 'RSA') return isPointOf(keyType, publicKey);
  const key = createPublicKey({ key: publicKey, format: 'der', type: 'spki' });
  const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
  return (
    key.export({ format: 'der', type: 'spki' }).equals(publicKey) &&
    key.asymmetricKeyType === 'rsa' &&
    modulusLength >= 2048 &&
    modulusLength <= 4096 &&
    publicExponent >= 65537n &&
    publicExponent % 2n === 1n
  );
}

/** The import throws when the point is not on the curve. */
function isPointOf(curve: keyof typeof ecKeys, publicKey: Buffer): boolean {
  const header = ecKeys[curve];
  if (!publicKey.subarray(0, header.length).equals(header)) return false;
  const middle = (header.length + publicKey.length) / 2;
  const x = publicKey.subarray(header.length, middle).toString('base64url');
  const y = publicKey.subarray(middle).toString('base64url');
  createPublicKey({ key: { kty: 'EC', crv: curve, x, y }, format: 'jwk' });
  return true;
}
