import { digestLength, type HashAlgorithm } from '../shared/digest.ts';
import type { NestedAnswer, SessionStarted } from './events.ts';

/** How a citizen's key signs one session. */
export interface SigningMethod {
  /** ECDSA; RSASSA-PKCS1-v1_5; RSASSA-PSS with MGF1 over the same hash and a salt as long as the hash (RFC 8017 §8). */
  readonly scheme: 'ecdsa' | 'pkcs1' | 'pss';
  /** Of the payload (authentication), or what the digest was made with (signature). */
  readonly hash: HashAlgorithm;
  /** As it is answered to the relying party. */
  readonly signatureAlgorithm: string;
}

export type SignatureProtocol = 'ACSP_V2' | 'RAW_DIGEST_SIGNATURE';

/** The protocol a session is answered by (contract §1); null for a certificate choice, which signs nothing. */
export function signatureProtocol({
  kind,
  nested,
}: Pick<SessionStarted['data'], 'kind' | 'nested'>): SignatureProtocol | null {
  if (kind === 'CERTIFICATE_CHOICE') return null;
  return nested !== null && kind === 'SIGNATURE' ? 'RAW_DIGEST_SIGNATURE' : 'ACSP_V2';
}

type Started = Pick<SessionStarted['data'], 'kind' | 'hashType' | 'nested'>;

/**
 * The one way a key of this type answers the session. A P-256 key hashes an authentication's payload with SHA-256
 * whatever hash was asked for, and signs a digest as it is, the first 256 bits of it (FIPS 186-5 §6.4). Nested answers name
 * that `ecdsa-with-SHA256` whichever hash made the digest (contract §1); flat ones name the digest's hash.
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

/** The parameters a PSS signature is answered with; null for the others, whose names say everything. */
export function pssParameters({ scheme, hash }: SigningMethod): NestedAnswer['pss'] {
  return scheme === 'pss' ? { hashAlgorithm: hash, saltLength: digestLength[hash] } : null;
}
