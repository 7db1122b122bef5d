import { digestLength } from '../../domain/shared/digest.ts';

const lengths: readonly number[] = Object.values(digestLength);

/** @throws Error unless the length is that of SHA-256, SHA-384 or SHA-512: ECDSA would sign anything */
export function requireDigest(digest: Uint8Array): void {
  if (!lengths.includes(digest.length)) {
    throw new Error(`A digest has 32, 48 or 64 bytes, not ${digest.length}.`);
  }
}
