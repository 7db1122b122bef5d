import { sha256 } from '../shared/digest.ts';

/** An event as stored in the log: personal data is encrypted, and stays so when its key is destroyed. */
export interface StoredEvent {
  readonly position: bigint;
  readonly stream: string;
  readonly revision: bigint;
  /** UUID. */
  readonly id: string;
  readonly type: string;
  readonly data: string;
  /** Includes the schema version. */
  readonly metadata: string;
}

/** First byte of the record, so that another form of it is another leaf. */
const VERSION = 2;

/** Tag, version, revision, UUID and four lengths. */
const FIXED_BYTES = 1 + 1 + 8 + 16 + 4 * 4;

/** Longest UTF-8 encoding of a UTF-16 unit. */
const BYTES_PER_UNIT = 3;

let scratch = Buffer.alloc(16 * 1024);

/**
 * The leaf of an event in the tree over the log: the hash of this record, numbers big-endian, texts in UTF-8 after their
 * length in bytes as 4 bytes: `2 (1 byte) ‖ revision (8) ‖ id (16) ‖ stream ‖ type ‖ data ‖ metadata`. Every part has a
 * length of its own, so no two events have the same record. It is the same in every log that holds the event.
 *
 * @throws RangeError when a number has more than 64 bits; Error when the id is no UUID
 */
export function eventLeafHash(event: StoredEvent): Buffer {
  const { stream, type, data, metadata } = event;
  const units = stream.length + type.length + data.length + metadata.length;
  const most = FIXED_BYTES + BYTES_PER_UNIT * units;
  if (scratch.length < most) scratch = Buffer.alloc(most);
  let end = scratch.writeUInt8(VERSION, 1);
  end = scratch.writeBigUInt64BE(event.revision, end);
  end = writeUuid(event.id, end);
  for (const text of [stream, type, data, metadata]) end = writeText(text, end);
  return hashTaggedLeaf(scratch.subarray(0, end));
}

function writeText(text: string, at: number): number {
  const length = scratch.write(text, at + 4, 'utf8');
  scratch.writeUInt32BE(length, at);
  return at + 4 + length;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function writeUuid(id: string, at: number): number {
  if (!UUID.test(id)) throw new Error('The id of an event is no lower-case UUID.');
  return at + scratch.write(id.replaceAll('-', ''), at, 'hex');
}

// Merkle tree hashes and proofs of RFC 9162 §2.1. Sizes and indexes are integers below 2^53: they count events.

/** Bytes of every hash. */
export const HASH_BYTES = 32;

/** The root of the tree without leaves (§2.1.1). */
export const emptyRoot: Buffer = sha256('');

const LEAF = 0x00;
const INTERIOR = 0x01;

/** Buffer to assemble interior nodes: hashed before the next one is assembled. */
const pair = Buffer.alloc(1 + 2 * HASH_BYTES, INTERIOR);

/** `SHA-256(0x00 ‖ entry)` (§2.1.1). @param tagged the entry after one byte, which is overwritten */
export function hashTaggedLeaf(tagged: Uint8Array): Buffer {
  tagged[0] = LEAF;
  return sha256(tagged);
}

/** `SHA-256(0x01 ‖ left ‖ right)` (§2.1.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  pair.set(left, 1);
  pair.set(right, 1 + HASH_BYTES);
  return sha256(pair);
}

/** The leaves `from` to `to`, the last excluded, forming a node: `from` is a possible start of such a node. */
export interface LeafRange {
  readonly from: number;
  readonly to: number;
}

/** A node over 2^height leaves, the `index`th of its height: once complete it never changes. */
interface Subtree {
  readonly height: number;
  readonly index: number;
}

/** The largest power of two smaller than `count`, which is more than 1. */
function split(count: number): number {
  let width = 1;
  while (width * 2 < count) width *= 2;
  return width;
}

/** The ranges hashed in `PATH(index, D_size)`, in its order (§2.1.3.1). */
export function inclusionRanges(index: number, size: number): readonly LeafRange[] {
  const ranges: LeafRange[] = [];
  for (let from = 0, to = size; to - from > 1;) {
    const middle = from + split(to - from);
    if (index < middle) {
      ranges.push({ from: middle, to });
      to = middle;
    } else {
      ranges.push({ from, to: middle });
      from = middle;
    }
  }
  return ranges.reverse();
}

/** The ranges hashed in `PROOF(first, D_second)`, in its order (§2.1.4.1). @param first from 1 to `second` */
export function consistencyRanges(first: number, second: number): readonly LeafRange[] {
  const ranges: LeafRange[] = [];
  let from = 0;
  let to = second;
  while (to !== first) {
    const middle = from + split(to - from);
    if (first <= middle) {
      ranges.push({ from: middle, to });
      to = middle;
    } else {
      ranges.push({ from, to: middle });
      from = middle;
    }
  }
  if (from > 0) ranges.push({ from, to });
  return ranges.reverse();
}

/** The complete subtrees of a range, from left to right: each smaller than the one before. */
export function subtreesOf({ from, to }: LeafRange): readonly Subtree[] {
  const subtrees: Subtree[] = [];
  for (let start = from; start < to;) {
    let height = 0;
    while (2 ** (height + 1) <= to - start) height += 1;
    subtrees.push({ height, index: start / 2 ** height });
    start += 2 ** height;
  }
  return subtrees;
}

/** The hash of a range from those of its complete subtrees, left to right; of none: the root of the empty tree. */
export function foldSubtrees(hashes: readonly Buffer[]): Buffer {
  return hashes.length === 0
    ? emptyRoot
    : hashes.reduceRight((right, left) => nodeHash(left, right));
}

/** A claim that a leaf is part of a tree. */
export interface InclusionClaim {
  readonly leaf: Buffer;
  readonly index: number;
  readonly size: number;
  readonly root: Buffer;
}

/** Verifies that the leaf is the tree's `index`th (§2.1.3.2). */
export function verifyInclusion(
  { leaf, index, size, root }: InclusionClaim,
  path: readonly Buffer[],
): boolean {
  if (index >= size) return false;
  const walk = createWalk(index, size - 1);
  let hash = leaf;
  for (const sibling of path) {
    if (walk.isAtTop()) return false;
    hash = walk.isRightChild() ? nodeHash(sibling, hash) : nodeHash(hash, sibling);
    walk.up();
  }
  return walk.isAtTop() && hash.equals(root);
}

/** Size and root of a tree. */
export interface TreeState {
  readonly size: number;
  readonly root: Buffer;
}

/** Verifies that `second` extends `first` (§2.1.4.2). Every tree extends the empty one. */
export function verifyConsistency(
  first: TreeState,
  second: TreeState,
  path: readonly Buffer[],
): boolean {
  if (first.size > second.size) return false;
  if (first.size === second.size) return path.length === 0 && first.root.equals(second.root);
  if (first.size === 0) return path.length === 0 && first.root.equals(emptyRoot);
  const roots = rootsFromConsistency(first, second.size, path);
  return roots !== null && roots.first.equals(first.root) && roots.second.equals(second.root);
}

/** Both roots computed from the path; null for a path of wrong length. */
function rootsFromConsistency(first: TreeState, secondSize: number, path: readonly Buffer[]) {
  const [start, ...rest] = isPowerOfTwo(first.size) ? [first.root, ...path] : path;
  if (start === undefined) return null;
  const walk = createWalk(first.size - 1, secondSize - 1);
  walk.skipRightChildren();
  const roots = { first: start, second: start };
  for (const sibling of rest) {
    if (walk.isAtTop()) return null;
    if (walk.isRightChild()) {
      roots.first = nodeHash(sibling, roots.first);
      roots.second = nodeHash(sibling, roots.second);
    } else roots.second = nodeHash(roots.second, sibling);
    walk.up();
  }
  return walk.isAtTop() ? roots : null;
}

function isPowerOfTwo(size: number): boolean {
  return Number.isInteger(Math.log2(size));
}

/** Walk from a leaf to the root, `fn` and `sn` of §2.1.3.2 and §2.1.4.2. */
function createWalk(leaf: number, last: number) {
  let fn = leaf;
  let sn = last;
  const isOdd = () => fn % 2 === 1;
  const shift = () => {
    fn = Math.floor(fn / 2);
    sn = Math.floor(sn / 2);
  };
  return {
    isAtTop: () => sn === 0,
    isRightChild: () => isOdd() || fn === sn,
    /** Moves to the parent; a node without a sibling is its own parent. */
    up() {
      while (!isOdd() && fn !== 0 && fn === sn) shift();
      shift();
    },
    skipRightChildren() {
      while (isOdd()) shift();
    },
  };
}

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
