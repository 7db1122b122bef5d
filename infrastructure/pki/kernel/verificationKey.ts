import { createPublicKey, type KeyObject } from 'node:crypto';

/** A public key that certificates, lists and answers of authorities are verified with. */
export type VerificationKey =
  | {
      readonly family: 'EC';
      /** P-256 for citizens; authorities also use the longer curves. */
      readonly curve: 'P-256' | 'P-384' | 'P-521';
      /** Imported on first use. */
      readonly key: KeyObject;
      /** P-256 only: the point, uncompressed, 65 bytes. */
      readonly point: Buffer | null;
    }
  | {
      readonly family: 'RSA';
      readonly key: KeyObject;
      /** Modulus length in bits; need not be a multiple of 8. */
      readonly modulusBits: number;
    };

/** RSA keys that are taken. */
interface RsaBounds {
  readonly types: ReadonlySet<string | undefined>;
  /** Longest modulus, bits. */
  readonly most: number;
  readonly leastExponent: bigint;
}

/** Shortest modulus, bits. */
const SHORTEST_MODULUS = 2048;

/** Smaller exponents enable forgeries against careless padding checks (FIPS 186-5 §5.1). */
const citizens: RsaBounds = { types: new Set(['rsa']), most: 8192, leastExponent: 65_537n };

/** OpenSSL, which verifies what authorities sign, checks paddings whole, and takes no longer modulus. */
const authorities: RsaBounds = {
  types: new Set(['rsa', 'rsa-pss']),
  most: 16_384,
  leastExponent: 3n,
};

/** DER prefix of the SubjectPublicKeyInfo of an uncompressed P-256 point. */
const p256Header = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex');
const P256_LENGTH = p256Header.length + 64;

/**
 * Reads a SubjectPublicKeyInfo of a citizen or an organization.
 *
 * @returns null unless it is a point on P-256, P-384 or P-521 as a named curve, or RSA of 2048 to 8192 bits with an odd
 *   exponent of 65537 or more
 */
export function importKey(spki: Buffer): VerificationKey | null {
  return imported(spki, citizens);
}

/**
 * Reads a SubjectPublicKeyInfo of an authority. Roots live for decades, so what some have is taken, too: RSA of up to
 * 16384 bits, an odd exponent of 3 or more, a key for RSA-PSS alone (RFC 4055 §1.2).
 */
export function importAuthorityKey(spki: Buffer): VerificationKey | null {
  return imported(spki, authorities);
}

function imported(spki: Buffer, bounds: RsaBounds): VerificationKey | null {
  try {
    const point = p256PointOf(spki);
    return point === null
      ? readKey(createPublicKey({ key: spki, format: 'der', type: 'spki' }), bounds)
      : p256Key(point);
  } catch {
    return null;
  }
}

function p256Key(point: Buffer): VerificationKey | null {
  if (!isOnCurve(point)) return null;
  let known: KeyObject | undefined;
  return {
    family: 'EC',
    curve: 'P-256',
    point,
    get key() {
      return (known ??= keyOfPoint(point));
    },
  };
}

/** Point of a P-256 key in the usual uncompressed encoding; null for any other key. */
function p256PointOf(spki: Buffer): Buffer | null {
  const usual =
    spki.length === P256_LENGTH && spki.subarray(0, p256Header.length).equals(p256Header);
  return usual ? spki.subarray(p256Header.length - 1) : null;
}

/** Prime and constant of y² = x³ - 3x + b (FIPS 186-4 §D.1.2.3). */
const P256_PRIME = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;
const P256_B = 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn;

/** Checks a point as OpenSSL would, in a tenth of its time. @param point uncompressed, 65 bytes */
function isOnCurve(point: Buffer): boolean {
  const x = BigInt(`0x${point.toString('hex', 1, 33)}`);
  const y = BigInt(`0x${point.toString('hex', 33)}`);
  return (
    x < P256_PRIME && y < P256_PRIME && (x * x * x - 3n * x + P256_B - y * y) % P256_PRIME === 0n
  );
}

/**
 * Imports a P-256 key from its coordinates: twice as fast as OpenSSL's decoder of a
 * SubjectPublicKeyInfo.
 *
 * @param point uncompressed, 65 bytes, on the curve
 */
function keyOfPoint(point: Uint8Array): KeyObject {
  const { buffer, byteOffset } = point;
  const x = Buffer.from(buffer, byteOffset + 1, 32).toString('base64url');
  const y = Buffer.from(buffer, byteOffset + 33, 32).toString('base64url');
  return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
}

const longerCurves: Readonly<Record<string, 'P-384' | 'P-521'>> = {
  secp384r1: 'P-384',
  secp521r1: 'P-521',
};

function readKey(
  key: KeyObject,
  { types, most, leastExponent }: RsaBounds,
): VerificationKey | null {
  const {
    namedCurve = '',
    modulusLength: modulusBits = 0,
    publicExponent = 0n,
  } = key.asymmetricKeyDetails ?? {};
  if (key.asymmetricKeyType === 'ec') {
    const curve = longerCurves[namedCurve];
    return curve === undefined ? null : { family: 'EC', curve, key, point: null };
  }
  const usable =
    types.has(key.asymmetricKeyType) &&
    modulusBits >= SHORTEST_MODULUS &&
    modulusBits <= most &&
    publicExponent >= leastExponent &&
    publicExponent % 2n === 1n;
  return usable ? { family: 'RSA', key, modulusBits } : null;
}
