import { foldSubtrees, nodeHash } from './hashTree.ts';

/** Root of a growing tree, from the roots of its complete subtrees alone: one for each one-bit of its size. */
export interface Frontier {
  readonly size: number;
  append(leaf: Buffer): void;
  root(): Buffer;
}

/** Starts with the empty tree. */
export function createFrontier(): Frontier {
  const subtrees: Buffer[] = [];
  let size = 0;
  return {
    get size() {
      return size;
    },
    append(leaf) {
      let hash = leaf;
      for (let width = size; width % 2 === 1; width = Math.floor(width / 2)) {
        hash = nodeHash(subtrees.pop() ?? hash, hash);
      }
      subtrees.push(hash);
      size += 1;
    },
    root: () => foldSubtrees(subtrees),
  };
}
