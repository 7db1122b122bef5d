import { createECDH, createHash, verify } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { keyOfPoint } from './keys.ts';

const { Point } = p256;
const { Fn } = Point;

/** The message OpenSSL is given, and what ECDSA makes of its SHA-256. */
const message = Buffer.alloc(0);
const messageScalar = scalarOf(createHash('sha256').update(message).digest());
const base = createECDH('prime256v1');

/**
 * Whether `signature` is an ECDSA P-256 signature over the digest as it is.
 *
 * Node's own verify always hashes, so the question is put to it in another form. A signature (r, s) over the scalar e
 * verifies under Q when r is the x-coordinate of s⁻¹·(e·G + r·Q). With Q′ = Q + ((e − e′)/r)·G,
 * e·G + r·Q = e′·G + r·Q′: the same signature over e′, the hash of a fixed message, under Q′. The two are the same
 * equation, so no signature passes one and not the other; and OpenSSL does it in a tenth of the time.
 *
 * @param digest 32 bytes or more; the leftmost 32 count (FIPS 186-5 §6.4.2)
 * @param point the public key, uncompressed
 * @param signature DER; s may be high
 */
export function isEcdsaOverDigest(digest: Buffer, point: Buffer, signature: Buffer): boolean {
  try {
    const { r } = p256.Signature.fromBytes(signature, 'der');
    const shift = Fn.mul(Fn.sub(scalarOf(digest), messageScalar), Fn.inv(r));
    const shifted = Point.fromBytes(point).add(multipleOfBase(shift));
    // The point at infinity is no key for OpenSSL.
    return shifted.is0()
      ? isOverDigestInJavaScript(digest, point, signature)
      : verify('sha256', message, keyOfPoint(shifted.toBytes(false)), signature);
  } catch {
    return false;
  }
}

function multipleOfBase(scalar: bigint) {
  if (Fn.is0(scalar)) return Point.ZERO;
  base.setPrivateKey(Fn.toBytes(scalar));
  return Point.fromBytes(base.getPublicKey());
}

function isOverDigestInJavaScript(digest: Buffer, point: Buffer, signature: Buffer): boolean {
  return p256.verify(signature, digest, point, { prehash: false, lowS: false, format: 'der' });
}

function scalarOf(digest: Buffer): bigint {
  return Fn.create(BigInt(`0x${digest.subarray(0, 32).toString('hex')}`));
}
