import { createHash } from 'node:crypto';

const DIMENSIONS = 256;

/**
 * A deterministic embedding: words and their beginnings, each hashed to a dimension. Texts that share words are near each
 * other, in any alphabet; meaning is beyond it.
 *
 * @returns a unit vector
 */
export function hashedEmbedding(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []) {
    add(vector, word, 1);
    if (word.length > 5) add(vector, `${word.slice(0, 5)}…`, 2);
  }
  const length = Math.hypot(...vector);
  if (length === 0) vector[0] = 1;
  return length === 0 ? vector : vector.map((value) => value / length);
}

function add(vector: Float32Array, feature: string, weight: number): void {
  const digest = createHash('sha256').update(feature).digest();
  const dimension = digest.readUInt32BE(0) % DIMENSIONS;
  const sign = (digest[4] ?? 0) % 2 === 0 ? 1 : -1;
  vector[dimension] = (vector[dimension] ?? 0) + sign * weight;
}
