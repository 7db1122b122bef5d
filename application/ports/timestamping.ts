import type { HashType } from '../../domain/shared/digest.ts';

/** Proves that data existed at a time (RFC 3161). */
export interface Timestamping {
  /**
   * @param digest raw bytes, of the length of `hash`
   * @returns TimeStampToken: a DER ContentInfo, checked against the digest and the authority's certificate
   * @throws Unavailable(timestamping) when no authority issued one
   */
  timestamp(digest: Uint8Array, hash: HashType): Promise<Buffer>;
}
