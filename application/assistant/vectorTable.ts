/** A search result. */
export interface Nearest<Item> {
  readonly item: Item;
  /** Cosine similarity, -1 to 1. */
  readonly score: number;
}

/** Vectors of one length with their items. */
export interface VectorTable<Item> {
  readonly size: number;
  /** Length of every vector. */
  readonly dimensions: number;
  /** Stores a vector under a key, replacing an earlier one. @throws Error for another length, or a vector of zeros */
  set(key: string, vector: Float32Array, item: Item): void;
  delete(key: string): void;
  /** Exact nearest neighbours, best first. @throws Error for another length, or a vector of zeros */
  nearest(vector: Float32Array, count: number): readonly Nearest<Item>[];
}

const initialRows = 64;

/**
 * Unit vectors in one contiguous array: a search scans it, in some milliseconds for ten thousand (docs/performance.md),
 * synchronously.
 *
 * @param dimensions length of every vector
 */
export function createVectorTable<Item>(dimensions: number): VectorTable<Item> {
  let vectors = new Float32Array(initialRows * dimensions);
  const keys: string[] = [];
  const items: Item[] = [];
  const rows = new Map<string, number>();

  function normalized(vector: Float32Array): Float32Array {
    if (vector.length !== dimensions) {
      throw new Error(`The vector has ${vector.length} numbers instead of ${dimensions}.`);
    }
    const length = Math.sqrt(dot(vector, vector, 0, dimensions));
    if (!(length > 0) || !Number.isFinite(length)) throw new Error('The vector has length zero.');
    return vector.map((value) => value / length);
  }

  return {
    get size() {
      return keys.length;
    },
    dimensions,
    set(key, vector, item) {
      const unit = normalized(vector);
      const row = rows.get(key) ?? keys.length;
      if ((row + 1) * dimensions > vectors.length) {
        const larger = new Float32Array(vectors.length * 2);
        larger.set(vectors);
        vectors = larger;
      }
      vectors.set(unit, row * dimensions);
      keys[row] = key;
      items[row] = item;
      rows.set(key, row);
    },
    delete(key) {
      const row = rows.get(key);
      if (row === undefined) return;
      rows.delete(key);
      const last = keys.length - 1;
      const movedKey = keys.pop();
      const movedItem = items.pop();
      if (row === last || movedKey === undefined) return;
      vectors.copyWithin(row * dimensions, last * dimensions, (last + 1) * dimensions);
      keys[row] = movedKey;
      items[row] = movedItem as Item;
      rows.set(movedKey, row);
    },
    nearest(vector, count) {
      const unit = normalized(vector);
      const best: { row: number; score: number }[] = [];
      for (let row = 0; row < keys.length; row += 1) {
        const score = dot(unit, vectors, row * dimensions, dimensions);
        if (best.length === count && score <= (best[count - 1]?.score ?? -1)) continue;
        insert(best, { row, score });
        if (best.length > count) best.pop();
      }
      return best.map(({ row, score }) => ({ item: items[row] as Item, score }));
    },
  };
}

/* eslint-disable complexity -- Each `?? 0` counts; none is ever taken. */
/** Four independent sums, which the processor computes in parallel. */
function dot(one: Float32Array, other: Float32Array, offset: number, length: number): number {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  const whole = length - (length % 4);
  for (let index = 0; index < whole; index += 4) {
    const at = offset + index;
    first += (one[index] ?? 0) * (other[at] ?? 0);
    second += (one[index + 1] ?? 0) * (other[at + 1] ?? 0);
    third += (one[index + 2] ?? 0) * (other[at + 2] ?? 0);
    fourth += (one[index + 3] ?? 0) * (other[at + 3] ?? 0);
  }
  let sum = first + second + third + fourth;
  for (let index = whole; index < length; index += 1) {
    sum += (one[index] ?? 0) * (other[offset + index] ?? 0);
  }
  return sum;
}
/* eslint-enable complexity */

function insert(best: { row: number; score: number }[], found: { row: number; score: number }) {
  let place = best.length;
  while (place > 0 && (best[place - 1]?.score ?? 1) < found.score) place -= 1;
  best.splice(place, 0, found);
}
