import {
  consistencyRanges,
  foldSubtrees,
  inclusionRanges,
  type LeafRange,
  rootOfPart,
  subtreesOf,
  type TileName,
  type TilePart,
  tilePartOf,
} from '../../domain/merkle/hashTree.ts';
import type { AuditTreeStore } from './ports/auditTree.ts';

/** Hashes and proofs of the tree at any size it has reached. @throws Unavailable(database) */
export interface TreeProofs {
  leaf(index: number): Promise<Buffer>;
  root(size: number): Promise<Buffer>;
  /** `PATH(index, D_size)`. @param index below `size` */
  inclusion(index: number, size: number): Promise<readonly Buffer[]>;
  /** `PROOF(first, D_second)`. @param first from 1 to `second` */
  consistency(first: number, second: number): Promise<readonly Buffer[]>;
  /** Hashes of ranges of leaves. */
  hashes(ranges: readonly LeafRange[]): Promise<readonly Buffer[]>;
}

/** Proofs from stored tiles: reads one tile per level of the tree, in one query. */
export function createTreeProofs(store: Pick<AuditTreeStore, 'tiles'>): TreeProofs {
  async function hashes(ranges: readonly LeafRange[]): Promise<readonly Buffer[]> {
    const parts = ranges.map((range) => subtreesOf(range).map(tilePartOf));
    const names = new Map(parts.flat().map((part) => [keyOf(part), part]));
    const tiles = await store.tiles([...names.values()]);
    const found = new Map([...names.keys()].map((key, index) => [key, tiles[index]]));
    const rootOf = (part: TilePart) => {
      const tile = found.get(keyOf(part));
      if (tile === undefined) throw new Error(`The tile ${keyOf(part)} is missing.`);
      return rootOfPart(tile, part.offset, part.count);
    };
    return parts.map((range) => foldSubtrees(range.map(rootOf)));
  }

  const hashOf = async (range: LeafRange) => (await hashes([range]))[0] ?? foldSubtrees([]);

  return {
    hashes,
    leaf: (index) => hashOf({ from: index, to: index + 1 }),
    root: (size) => hashOf({ from: 0, to: size }),
    inclusion: (index, size) => hashes(inclusionRanges(index, size)),
    consistency: (first, second) => hashes(consistencyRanges(first, second)),
  };
}

function keyOf({ level, number }: TileName): string {
  return `${level}/${number}`;
}
