import { digestLength } from '../../domain/shared/digest.ts';

const lengths: readonly number[] = Object.values(digestLength);

/** @throws Error when the bytes cannot be a SHA-256, SHA-384 or SHA-512 digest: ECDSA would sign anything */
export function requireDigest(digest: Uint8Array): void {
  if (!lengths.includes(digest.length)) {
    throw new Error(`A digest has 32, 48 or 64 bytes, not ${digest.length}.`);
  }
}
