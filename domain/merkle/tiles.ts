import { HASH_BYTES, nodeHash, type Subtree } from './hashTree.ts';

// A tile stores 256 adjacent hashes of the tree: leaves on level 0, roots of complete tiles of level n - 1 on level n.
// Nodes in between are recomputed on demand.

/** Tree heights spanned by one level of tiles. */
const TILE_HEIGHT = 8;

/** Hashes of a complete tile. */
export const TILE_WIDTH = 2 ** TILE_HEIGHT;

export interface TileName {
  readonly level: number;
  readonly number: number;
}

/** A tile with its hashes so far. */
export interface Tile extends TileName {
  readonly hashes: Buffer;
}

/** Location of a complete subtree: the root of `count` hashes of a tile from `offset` on. */
export interface TilePart extends TileName {
  readonly offset: number;
  readonly count: number;
}

/** The part of a tile from which a complete subtree is computed. */
export function tilePartOf({ height, index }: Subtree): TilePart {
  const level = Math.floor(height / TILE_HEIGHT);
  const count = 2 ** (height % TILE_HEIGHT);
  const first = index * count;
  return {
    level,
    count,
    number: Math.floor(first / TILE_WIDTH),
    offset: first % TILE_WIDTH,
  };
}

/** The root of `count` hashes of a tile, a power of two. @throws RangeError when the tile has fewer hashes */
export function rootOfPart(tile: Buffer, offset: number, count: number): Buffer {
  if (tile.length < (offset + count) * HASH_BYTES)
    throw new RangeError('The tile has fewer hashes than requested.');
  if (count === 1) return tile.subarray(offset * HASH_BYTES, (offset + 1) * HASH_BYTES);
  const half = count / 2;
  return nodeHash(rootOfPart(tile, offset, half), rootOfPart(tile, offset + half, half));
}

/** Number of hashes on a level of a tree of that size. */
function widthOfLevel(size: number, level: number): number {
  return Math.floor(size / TILE_WIDTH ** level);
}

/** The tiles at the right edge of a tree, one per level, without empty ones. */
export function growingTiles(size: number): readonly TileName[] {
  const names: TileName[] = [];
  for (let level = 0; widthOfLevel(size, level) > 0; level += 1) {
    const width = widthOfLevel(size, level);
    if (width % TILE_WIDTH > 0) names.push({ level, number: Math.floor(width / TILE_WIDTH) });
  }
  return names;
}

/** A tree growing at its right edge, of which only that edge is in memory. */
export interface GrowingTree {
  readonly size: number;
  /** Appends a leaf: one hash, and on average less than one interior node. */
  append(leaf: Buffer): void;
  /** Current state of the tiles changed since the last call. */
  takeChanged(): readonly Tile[];
}

/** @param edge the {@link growingTiles} of `size`, with at least that many hashes */
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
