import { digestLength, type HashAlgorithm } from '../shared/digest.ts';
import type { NestedAnswer, SessionStarted } from './events.ts';

/** Signature method of a citizen's key for one session. */
export interface SigningMethod {
  /** ECDSA; RSASSA-PKCS1-v1_5; RSASSA-PSS with MGF1 over the same hash and a salt as long as the hash (RFC 8017 §8). */
  readonly scheme: 'ecdsa' | 'pkcs1' | 'pss';
  /** Hash of the payload (authentication), or of the given digest (signature). */
  readonly hash: HashAlgorithm;
  /** Name in the response to the relying party. */
  readonly signatureAlgorithm: string;
}

export type SignatureProtocol = 'ACSP_V2' | 'RAW_DIGEST_SIGNATURE';

/** Protocol of a session's response (contract §1); null for a certificate choice, which has no signature. */
export function signatureProtocol({
  kind,
  nested,
}: Pick<SessionStarted['data'], 'kind' | 'nested'>): SignatureProtocol | null {
  if (kind === 'CERTIFICATE_CHOICE') return null;
  return nested !== null && kind === 'SIGNATURE' ? 'RAW_DIGEST_SIGNATURE' : 'ACSP_V2';
}

type Started = Pick<SessionStarted['data'], 'kind' | 'hashType' | 'nested'>;

/**
 * Signature method of a key type for the session. A P-256 key hashes an authentication's payload with SHA-256 whatever
 * hash was requested, and signs the first 256 bits of a digest (FIPS 186-5 §6.4). Nested responses name that
 * `ecdsa-with-SHA256` for any hash (contract §1); flat ones name the digest's hash.
 */
export function signingMethod(started: Started, keyType: 'P-256' | 'RSA'): SigningMethod {
  const isAuthentication = started.kind === 'AUTHENTICATION';
  const asked = started.hashType ?? 'SHA256';
  if (keyType === 'P-256') {
    const hash = isAuthentication ? 'SHA256' : asked;
    const named = started.nested === null ? hash : 'SHA256';
    return { scheme: 'ecdsa', hash, signatureAlgorithm: `ecdsa-with-${named}` };
  }
  return started.nested?.signatureAlgorithm === 'rsassa-pss'
    ? { scheme: 'pss', hash: asked, signatureAlgorithm: 'rsassa-pss' }
    : {
        scheme: 'pkcs1',
        hash: asked,
        signatureAlgorithm: `${asked.toLowerCase()}WithRSAEncryption`,
      };
}

/** Parameters of a PSS signature in the response; null for other schemes, whose names are complete. */
export function pssParameters({ scheme, hash }: SigningMethod): NestedAnswer['pss'] {
  return scheme === 'pss' ? { hashAlgorithm: hash, saltLength: digestLength[hash] } : null;
}
