import { createHash, timingSafeEqual } from 'node:crypto';

/**
 * EMSA-PSS verification with MGF1 over the same hash (RFC 8017 §9.1.2) over a digest. Node.js
 * verifies PSS only over messages that it hashes itself.
 *
 * @param encoded result of the RSA operation, as long as the modulus
 * @param bits of the modulus
 * @param scheme `hash` by Node's name; `saltLength` in bytes, exact
 */
export function isPssEncodingOf(
  digest: Buffer,
  encoded: Buffer,
  bits: number,
  { hash, saltLength }: { readonly hash: string; readonly saltLength: number },
): boolean {
  const emBits = bits - 1;
  const length = Math.ceil(emBits / 8);
  // The encoding has one bit less than the modulus, so possibly one byte less.
  const leading = encoded.subarray(0, encoded.length - length);
  const em = encoded.subarray(encoded.length - length);
  const maskedLength = length - digest.length - 1;
  if (leading.some((byte) => byte !== 0) || maskedLength < saltLength + 1) return false;
  if (em[length - 1] !== 0xbc) return false;
  const unusedBits = 8 * length - emBits;
  const firstByteMask = 0xff >> unusedBits;
  if (((em[0] ?? 0) & ~firstByteMask) !== 0) return false;

  const seed = em.subarray(maskedLength, length - 1);
  const mask = mgf1(seed, maskedLength, hash);
  const block = Buffer.from(em.subarray(0, maskedLength).map((byte, i) => byte ^ (mask[i] ?? 0)));
  block[0] = (block[0] ?? 0) & firstByteMask;
  const padding = maskedLength - saltLength - 1;
  if (block.subarray(0, padding).some((byte) => byte !== 0) || block[padding] !== 0x01)
    return false;
  const expected = createHash(hash)
    .update(Buffer.alloc(8))
    .update(digest)
    .update(block.subarray(padding + 1))
    .digest();
  return timingSafeEqual(seed, expected);
}

/** RFC 8017 appendix B.2.1. */
function mgf1(seed: Buffer, length: number, hash: string): Buffer {
  const blocks: Buffer[] = [];
  for (let counter = 0, done = 0; done < length; counter += 1) {
    const suffix = Buffer.alloc(4);
    suffix.writeUInt32BE(counter);
    const block = createHash(hash).update(seed).update(suffix).digest();
    blocks.push(block);
    done += block.length;
  }
  return Buffer.concat(blocks).subarray(0, length);
}
