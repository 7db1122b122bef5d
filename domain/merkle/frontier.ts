import { foldSubtrees, nodeHash } from './hashTree.ts';

/** The root of a growing tree, from its complete subtrees alone: as many hashes as the size has binary ones. */
export interface Frontier {
  readonly size: number;
  append(leaf: Buffer): void;
  root(): Buffer;
}

/** Begins with the empty tree. */
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
