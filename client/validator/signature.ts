import { constants, type KeyObject, publicDecrypt, verify } from 'node:crypto';
import { p256 } from '@noble/curves/nist.js';
import { ValidationError } from '../errors.ts';
import type { HashType } from '../types.ts';

const algorithms: Readonly<
  Record<string, { readonly family: 'ec' | 'rsa'; readonly hash: HashType }>
> = {
  'ecdsa-with-SHA256': { family: 'ec', hash: 'SHA256' },
  'ecdsa-with-SHA384': { family: 'ec', hash: 'SHA384' },
  'ecdsa-with-SHA512': { family: 'ec', hash: 'SHA512' },
  sha256WithRSAEncryption: { family: 'rsa', hash: 'SHA256' },
  sha384WithRSAEncryption: { family: 'rsa', hash: 'SHA384' },
  sha512WithRSAEncryption: { family: 'rsa', hash: 'SHA512' },
};

const LEAST_RSA_BITS = 2048;

/** What was signed, by whom, and what the response calls the algorithm. */
export interface SignatureToCheck {
  readonly publicKey: KeyObject;
  readonly algorithm: string;
  readonly signature: Buffer;
}

/**
 * Checks a signature over `payload`, hashed as the algorithm says.
 *
 * @throws ValidationError KEY_UNSUPPORTED, ALGORITHM_UNSUPPORTED, SIGNATURE_INVALID
 */
export function checkPayloadSignature(check: SignatureToCheck, payload: Buffer): void {
  const { hash } = supported(check);
  expectValid(verify(hash.toLowerCase(), payload, check.publicKey, check.signature));
}

/**
 * Checks a signature over the digest itself, which is not hashed again.
 *
 * @param digest raw, 32, 48 or 64 bytes
 * @throws ValidationError KEY_UNSUPPORTED, ALGORITHM_UNSUPPORTED, SIGNATURE_INVALID
 */
export function checkDigestSignature(check: SignatureToCheck, digest: Buffer): void {
  const { family } = supported(check);
  expectValid(
    family === 'ec' ? isEcdsaOverDigest(check, digest) : isPkcs1OverDigest(check, digest),
  );
}

function supported({ publicKey, algorithm }: SignatureToCheck) {
  const family = keyFamily(publicKey);
  const named = algorithms[algorithm];
  if (named?.family !== family) {
    throw new ValidationError(
      'ALGORITHM_UNSUPPORTED',
      'The signature algorithm is unknown or does not suit the key.',
    );
  }
  return named;
}

function keyFamily(publicKey: KeyObject): 'ec' | 'rsa' {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = publicKey;
  if (type === 'ec' && details?.namedCurve === 'prime256v1') return 'ec';
  if (type === 'rsa' && (details?.modulusLength ?? 0) >= LEAST_RSA_BITS) return 'rsa';
  throw new ValidationError('KEY_UNSUPPORTED', 'The key is neither P-256 nor RSA of 2048 bits.');
}

function isEcdsaOverDigest({ publicKey, signature }: SignatureToCheck, digest: Buffer): boolean {
  const { x, y } = publicKey.export({ format: 'jwk' });
  const point = Buffer.concat([
    Buffer.of(4),
    Buffer.from(x ?? '', 'base64url'),
    Buffer.from(y ?? '', 'base64url'),
  ]);
  try {
    // Node hashes again for EC keys; a high s is as valid as a low one outside of ledgers.
    return p256.verify(signature, digest, point, { prehash: false, lowS: false, format: 'der' });
  } catch {
    return false;
  }
}

/** DER prefixes of DigestInfo (RFC 8017 §9.2 note 1) by digest length in bytes. */
const digestInfoPrefix: Readonly<Record<number, Buffer>> = {
  32: Buffer.from('3031300d060960864801650304020105000420', 'hex'),
  48: Buffer.from('3041300d060960864801650304020205000430', 'hex'),
  64: Buffer.from('3051300d060960864801650304020305000440', 'hex'),
};

function isPkcs1OverDigest({ publicKey, signature }: SignatureToCheck, digest: Buffer): boolean {
  const prefix = digestInfoPrefix[digest.length];
  if (prefix === undefined) return false;
  try {
    // Compared whole and byte for byte: parsing the block instead is what Bleichenbacher's forgery lives on.
    return publicDecrypt(
      { key: publicKey, padding: constants.RSA_PKCS1_PADDING },
      signature,
    ).equals(Buffer.concat([prefix, digest]));
  } catch {
    return false;
  }
}

function expectValid(valid: boolean): void {
  if (!valid) throw new ValidationError('SIGNATURE_INVALID', 'The signature does not verify.');
}
