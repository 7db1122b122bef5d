import { HASH_BYTES, nodeHash, type Subtree } from './hashTree.ts';

// A tile keeps 256 hashes that stand side by side in the tree: on level 0 leaves, on level n the roots of complete tiles
// of level n - 1. What lies between is computed again when it is needed.

/** Heights of the tree that one level of tiles spans. */
const TILE_HEIGHT = 8;

/** Hashes of a complete tile. */
export const TILE_WIDTH = 2 ** TILE_HEIGHT;

export interface TileName {
  readonly level: number;
  readonly number: number;
}

/** A tile as far as it is filled: hash after hash. */
export interface Tile extends TileName {
  readonly hashes: Buffer;
}

/** Where a complete subtree is found: `count` hashes of a tile from `offset` on, of which it is the root. */
export interface TilePart extends TileName {
  readonly offset: number;
  readonly count: number;
}

/** The tile part a complete subtree is computed from. */
export function tilePartOf({ height, index }: Subtree): TilePart {
  const level = Math.floor(height / TILE_HEIGHT);
  const count = 2 ** (height % TILE_HEIGHT);
  const first = index * count;
  return {
    ...{ level, count },
    number: Math.floor(first / TILE_WIDTH),
    offset: first % TILE_WIDTH,
  };
}

/** The root of `count` hashes of a tile, a power of two. @throws RangeError when the tile is not filled so far */
export function rootOfPart(tile: Buffer, offset: number, count: number): Buffer {
  if (tile.length < (offset + count) * HASH_BYTES) throw new RangeError('The tile ends before.');
  if (count === 1) return tile.subarray(offset * HASH_BYTES, (offset + 1) * HASH_BYTES);
  const half = count / 2;
  return nodeHash(rootOfPart(tile, offset, half), rootOfPart(tile, offset + half, half));
}

/** How many hashes stand on a level of a tree of that size. */
export function widthOfLevel(size: number, level: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** The tiles at the right edge of a tree, one a level, those without hashes left out. */
export function growingTiles(size: number): readonly TileName[] {
  const names: TileName[] = [];
  for (let level = 0; widthOfLevel(size, level) > 0; level += 1) {
    const width = widthOfLevel(size, level);
    if (width % TILE_WIDTH > 0) names.push({ level, number: Math.floor(width / TILE_WIDTH) });
  }
  return names;
}

/** A tree that grows at its right edge, of which only that edge is in memory. */
export interface GrowingTree {
  readonly size: number;
  /** Appends a leaf: one hash, and on average not quite one interior node. */
  append(leaf: Buffer): void;
  /** The tiles filled or begun since they were last taken, as they are now. */
  takeChanged(): readonly Tile[];
}

/** @param edge the {@link growingTiles} of `size`, at least as far as they were filled then */
export function createGrowingTree(start: number, edge: readonly Tile[]): GrowingTree {
  let size = start;
  let complete: Tile[] = [];
  const levels: { readonly hashes: Buffer; isChanged: boolean }[] = [];

  function levelAt(level: number) {
    return (levels[level] ??= {
      hashes: Buffer.alloc(TILE_WIDTH * HASH_BYTES),
      isChanged: false,
    });
  }

  for (const { level, hashes } of edge) levelAt(level).hashes.set(hashes);

  function put(hash: Buffer, level: number): void {
    const edgeTile = levelAt(level);
    const place = widthOfLevel(size, level);
    const offset = place % TILE_WIDTH;
    edgeTile.hashes.set(hash, offset * HASH_BYTES);
    edgeTile.isChanged = true;
    if (offset < TILE_WIDTH - 1) return;
    const hashes = Buffer.from(edgeTile.hashes);
    complete.push({ level, number: Math.floor(place / TILE_WIDTH), hashes });
    edgeTile.isChanged = false;
    put(rootOfPart(hashes, 0, TILE_WIDTH), level + 1);
  }

  return {
    get size() {
      return size;
    },
    append(leaf) {
      put(leaf, 0);
      size += 1;
    },
    takeChanged() {
      const begun = growingTiles(size).flatMap(({ level, number }) => {
        const edgeTile = levelAt(level);
        if (!edgeTile.isChanged) return [];
        edgeTile.isChanged = false;
        const filled = (widthOfLevel(size, level) % TILE_WIDTH) * HASH_BYTES;
        return [{ level, number, hashes: Buffer.from(edgeTile.hashes.subarray(0, filled)) }];
      });
      const changed = [...complete, ...begun];
      complete = [];
      return changed;
    },
  };
}
