import { sha256 } from '../shared/digest.ts';

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
export interface Subtree {
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
