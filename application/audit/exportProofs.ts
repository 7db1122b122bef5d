import {
  foldSubtrees,
  HASH_BYTES,
  inclusionRanges,
  type LeafRange,
  nodeHash,
  subtreesOf,
  TILE_WIDTH,
} from '../../domain/merkle/hashTree.ts';
import type { AuditTreeStore } from './ports/auditTree.ts';
import type { TreeProofs } from './treeProofs.ts';

/**
 * Inclusion paths of up to 256 consecutive leaves. The path of the leaf `first + n` is `own[n]` followed by `shared`. A
 * change to a leaf or its own path invalidates no other proof.
 */
export interface ProofBlock {
  /** A multiple of 256. */
  readonly first: number;
  readonly own: readonly (readonly Buffer[])[];
  readonly shared: readonly Buffer[];
}

/** The paths of all leaves in the tree of that size, in order. @throws Unavailable(database) */
export async function* proofBlocks(
  { store, proofs }: { readonly store: Pick<AuditTreeStore, 'tiles'>; readonly proofs: TreeProofs },
  size: number,
): AsyncGenerator<ProofBlock> {
  for (let first = 0; first < size; first += TILE_WIDTH) {
    const count = Math.min(TILE_WIDTH, size - first);
    const above = inclusionRanges(first, size).filter(
      ({ from, to }) => to <= first || from >= first + count,
    );
    const [[leaves], shared] = await Promise.all([
      store.tiles([{ level: 0, number: first / TILE_WIDTH }]),
      proofs.hashes(above),
    ]);
    if (leaves === undefined) throw new Error('Tiles of the audit tree are missing.');
    yield { first, own: pathsWithin(leaves.subarray(0, count * HASH_BYTES)), shared };
  }
}

/** Inclusion paths of every leaf within a block, which is a node of the whole tree. */
function pathsWithin(leaves: Buffer): readonly (readonly Buffer[])[] {
  const levels = completeLevels(leaves);
  const count = leaves.length / HASH_BYTES;
  const hashOf = (range: LeafRange) =>
    foldSubtrees(
      subtreesOf(range).map(({ height, index }) => levels[height]?.[index] ?? Buffer.alloc(0)),
    );
  return Array.from({ length: count }, (_, leaf) => inclusionRanges(leaf, count).map(hashOf));
}

/** Roots of all complete subtrees, by height. */
function completeLevels(leaves: Buffer): readonly (readonly Buffer[])[] {
  const hashes = Array.from({ length: leaves.length / HASH_BYTES }, (_, leaf) =>
    leaves.subarray(leaf * HASH_BYTES, (leaf + 1) * HASH_BYTES),
  );
  const levels: Buffer[][] = [];
  for (let level = hashes; level.length > 0;) {
    levels.push(level);
    level = level.flatMap((left, index) => {
      const right = index % 2 === 0 ? level[index + 1] : undefined;
      return right === undefined ? [] : [nodeHash(left, right)];
    });
  }
  return levels;
}
