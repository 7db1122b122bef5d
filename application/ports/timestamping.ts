import type { HashType } from '../../domain/shared/digest.ts';

/** Proves that data existed at a time (RFC 3161). */
export interface Timestamping {
  /**
   * @param digest raw bytes, as long as `hash` makes them
   * @returns TimeStampToken: a DER ContentInfo, checked against the digest and the authority's certificate
   * @throws Unavailable(timestamping) when no authority answered with one
   */
  timestamp(digest: Uint8Array, hash: HashType): Promise<Buffer>;
}
