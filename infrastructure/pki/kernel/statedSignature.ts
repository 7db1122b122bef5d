import { constants, type KeyObject, verify } from 'node:crypto';
import { derReader, derTag, readDer, readOid, readSmallInteger } from './derReader.ts';
import { oid } from './oids.ts';

/** A hash by its name in node:crypto. */
export type StatedHash = 'sha224' | 'sha256' | 'sha384' | 'sha512';

/** Signature scheme stated by an AlgorithmIdentifier. */
export type SignatureScheme =
  | { readonly kind: 'rsa' | 'ecdsa'; readonly hash: StatedHash }
  | {
      readonly kind: 'rsa-pss';
      readonly hash: StatedHash;
      readonly saltLength: number;
      /** The salt is as long as the hash, and nothing else is stated. */
      readonly isUsual: boolean;
    };

const hashes: Readonly<Record<string, StatedHash>> = {
  [oid.sha224]: 'sha224',
  [oid.sha256]: 'sha256',
  [oid.sha384]: 'sha384',
  [oid.sha512]: 'sha512',
};

/** Bytes. */
const hashLength: Readonly<Record<StatedHash, number>> = {
  sha224: 28,
  sha256: 32,
  sha384: 48,
  sha512: 64,
};

const schemes: Readonly<Record<string, SignatureScheme>> = {
  [oid.sha224WithRsa]: { kind: 'rsa', hash: 'sha224' },
  [oid.sha256WithRsa]: { kind: 'rsa', hash: 'sha256' },
  [oid.sha384WithRsa]: { kind: 'rsa', hash: 'sha384' },
  [oid.sha512WithRsa]: { kind: 'rsa', hash: 'sha512' },
  [oid.ecdsaWithSha224]: { kind: 'ecdsa', hash: 'sha224' },
  [oid.ecdsaWithSha256]: { kind: 'ecdsa', hash: 'sha256' },
  [oid.ecdsaWithSha384]: { kind: 'ecdsa', hash: 'sha384' },
  [oid.ecdsaWithSha512]: { kind: 'ecdsa', hash: 'sha512' },
};

/** Hash named by an AlgorithmIdentifier; null for SHA-1, MD5 and unknown ones. @throws MalformedDer */
export function statedHash(algorithmIdentifier: Buffer): StatedHash | null {
  return hashes[algorithmOid(algorithmIdentifier)] ?? null;
}

/**
 * Scheme named by an AlgorithmIdentifier; null for a broken (SHA-1, MD5) or unknown one.
 *
 * @param digest hash of a CMS signer: `rsaEncryption` leaves it open (RFC 3370 §3.2); null outside of CMS
 * @throws MalformedDer
 */
export function signatureScheme(
  algorithmIdentifier: Buffer,
  digest: StatedHash | null,
): SignatureScheme | null {
  const algorithm = algorithmOid(algorithmIdentifier);
  if (algorithm === oid.rsassaPss) return pssScheme(algorithmIdentifier);
  if (algorithm === oid.rsaEncryption && digest !== null) return { kind: 'rsa', hash: digest };
  return schemes[algorithm] ?? null;
}

/** Verifies `signature` over `signed` by that key. Any curve and modulus OpenSSL supports; never throws. */
export function isSignedBy(
  key: KeyObject,
  scheme: SignatureScheme,
  signed: Uint8Array,
  signature: Uint8Array,
): boolean {
  if (!fits(key, scheme)) return false;
  try {
    return scheme.kind === 'rsa-pss'
      ? verify(
          scheme.hash,
          signed,
          { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: scheme.saltLength },
          signature,
        )
      : verify(scheme.hash, signed, key, signature);
  } catch {
    return false;
  }
}

const SHORTEST_MODULUS = 2048;

function fits(
  { asymmetricKeyType: type, asymmetricKeyDetails }: KeyObject,
  { kind }: SignatureScheme,
) {
  if (kind === 'ecdsa') return type === 'ec';
  const isRsa = type === 'rsa' || (type === 'rsa-pss' && kind === 'rsa-pss');
  return isRsa && (asymmetricKeyDetails?.modulusLength ?? 0) >= SHORTEST_MODULUS;
}

/** RSASSA-PSS-params (RFC 4055 §3.1). Omitted parameters mean SHA-1, and so are refused. */
function pssScheme(algorithmIdentifier: Buffer): SignatureScheme | null {
  const algorithm = derReader(readDer(algorithmIdentifier, derTag.sequence).content);
  algorithm.element(derTag.oid);
  const parameters = algorithm.enter(derTag.sequence);
  const hashed = parameters.optional(derTag.constructed(0));
  const masked = parameters.optional(derTag.constructed(1));
  const salt = parameters.optional(derTag.constructed(2));
  if (hashed === null || masked === null) return null;
  const hash = statedHash(hashed.content);
  const mask = derReader(readDer(masked.content, derTag.sequence).content);
  if (readOid(mask.element(derTag.oid)) !== oid.mgf1) return null;
  // OpenSSL takes one hash for both.
  if (hash === null || statedHash(mask.element(derTag.sequence).bytes) !== hash) return null;
  const saltLength = salt === null ? 20 : readSmallInteger(readDer(salt.content, derTag.integer));
  const isUsual = saltLength === hashLength[hash] && parameters.atEnd;
  return { kind: 'rsa-pss', hash, saltLength, isUsual };
}

function algorithmOid(algorithmIdentifier: Buffer): string {
  return readOid(
    derReader(readDer(algorithmIdentifier, derTag.sequence).content).element(derTag.oid),
  );
}
