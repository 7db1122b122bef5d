import { hash } from 'node:crypto';

/*
 * Index of the data of an archive entry, numbers big-endian:
 *
 *   "TAMGAIX2" | blocks (4) | keys (4)
 *   for each block: position of its first event (8) | offset in the data (6) | length (4), bytes | its SHA-256 (32)
 *   for each of 4,096 buckets: number of keys in it and in those before (4) | SHA-256 of its keys (32)
 *   for each key, by bucket: first 8 bytes of its SHA-256 (8) | number of a block with an event of it (4)
 *
 * Everything before the keys is the directory, whose digest is signed and in the catalog. The bucket of a key is the first 12
 * bits of its hash. A key is the name of a stream or the id of an event. "TAMGAIX1" has no digests of buckets.
 */

const MAGIC = Buffer.from('TAMGAIX2', 'latin1');
const MAGIC_WITHOUT_DIGESTS = Buffer.from('TAMGAIX1', 'latin1');
const HEAD_BYTES = MAGIC.length + 8;
const BLOCK_BYTES = 50;
const BUCKETS = 4096;
const KEY_BYTES = 12;
const COUNT_BYTES = 4;
const DIGEST_BYTES = 32;

/** Part of the data that is compressed by itself. */
export interface Block {
  /** Position of its first event. */
  readonly first: bigint;
  /** Bytes. */
  readonly offset: number;
  readonly length: number;
  /** SHA-256 of it as stored. */
  readonly digest: Buffer;
}

/** Bytes of an index. */
export interface KeyRange {
  readonly from: number;
  readonly length: number;
  /** SHA-256 of them; null in an index of the first format. */
  readonly digest: Buffer | null;
}

/** Blocks of an entry, and where in the index the keys are. */
export interface Directory {
  readonly blocks: readonly Block[];
  /** Bytes of the index that hold the key, if it is there. */
  rangeOf(key: string): KeyRange;
}

/** Collects the index of an entry while its data is written. */
export function createIndexWriter() {
  const blocks: Block[] = [];
  let keys = Buffer.alloc(KEY_BYTES * 1024);
  let used = 0;

  return {
    /** @param contents names of streams and ids of events in the block */
    add(block: Block, contents: Iterable<string>): void {
      for (const key of contents) {
        if (used === keys.length) keys = Buffer.concat([keys], keys.length * 2);
        hashOf(key).copy(keys, used);
        keys.writeUInt32BE(blocks.length, used + 8);
        used += KEY_BYTES;
      }
      blocks.push(block);
    },
    bytes(): Buffer {
      const head = Buffer.alloc(HEAD_BYTES + blocks.length * BLOCK_BYTES);
      MAGIC.copy(head);
      head.writeUInt32BE(blocks.length, MAGIC.length);
      head.writeUInt32BE(used / KEY_BYTES, MAGIC.length + 4);
      for (const [number, { first, offset, length, digest }] of blocks.entries()) {
        const at = HEAD_BYTES + number * BLOCK_BYTES;
        head.writeBigUInt64BE(first, at);
        head.writeUIntBE(offset, at + 8, 6);
        head.writeUInt32BE(length, at + 14);
        digest.copy(head, at + 18);
      }
      return Buffer.concat([head, ...byBucket(keys.subarray(0, used))]);
    },
  };
}

/** The counts and digests of the buckets, and the keys in their order. */
function byBucket(keys: Buffer): readonly [Buffer, Buffer] {
  const counts = Array.from({ length: BUCKETS }, () => 0);
  for (let at = 0; at < keys.length; at += KEY_BYTES) {
    const bucket = bucketAt(keys, at);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  const ends = Buffer.alloc(BUCKETS * (COUNT_BYTES + DIGEST_BYTES));
  const places: number[] = [];
  let end = 0;
  for (const [bucket, count] of counts.entries()) {
    places.push(end);
    end += count;
    ends.writeUInt32BE(end, bucket * (COUNT_BYTES + DIGEST_BYTES));
  }
  const ordered = Buffer.alloc(keys.length);
  for (let at = 0; at < keys.length; at += KEY_BYTES) {
    const bucket = bucketAt(keys, at);
    const place = places[bucket] ?? 0;
    places[bucket] = place + 1;
    keys.copy(ordered, place * KEY_BYTES, at, at + KEY_BYTES);
  }
  let start = 0;
  for (const [bucket, count] of counts.entries()) {
    const next = start + count * KEY_BYTES;
    const at = bucket * (COUNT_BYTES + DIGEST_BYTES) + COUNT_BYTES;
    hash('sha256', ordered.subarray(start, next), 'buffer').copy(ends, at);
    start = next;
  }
  return [ends, ordered];
}

/** Bytes of an index that precede its keys. @param head its first 16 bytes */
export function directoryBytes(head: Buffer): number {
  const blocks = head.readUInt32BE(MAGIC.length) * BLOCK_BYTES;
  return HEAD_BYTES + blocks + BUCKETS * bucketBytes(head);
}

/** Bytes of each bucket in the directory. @throws Error for an unknown format */
function bucketBytes(head: Buffer): number {
  const magic = head.subarray(0, MAGIC.length);
  if (magic.equals(MAGIC)) return COUNT_BYTES + DIGEST_BYTES;
  if (magic.equals(MAGIC_WITHOUT_DIGESTS)) return COUNT_BYTES;
  throw new Error('Not an archive index: wrong magic bytes.');
}

/** Length of what `directoryBytes` reads, bytes. */
export const indexHeadBytes = HEAD_BYTES;

/** @param bytes as many as {@link directoryBytes} tells */
export function readDirectory(bytes: Buffer): Directory {
  const count = bytes.readUInt32BE(MAGIC.length);
  const buckets = bytes.subarray(HEAD_BYTES + count * BLOCK_BYTES);
  const size = bucketBytes(bytes);
  const blocks = Array.from({ length: count }, (_, number): Block => {
    const at = HEAD_BYTES + number * BLOCK_BYTES;
    return {
      first: bytes.readBigUInt64BE(at),
      offset: bytes.readUIntBE(at + 8, 6),
      length: bytes.readUInt32BE(at + 14),
      digest: bytes.subarray(at + 18, at + BLOCK_BYTES),
    };
  });
  return {
    blocks,
    rangeOf(key) {
      const bucket = bucketAt(hashOf(key), 0);
      const at = bucket * size;
      const start = bucket === 0 ? 0 : buckets.readUInt32BE(at - size);
      const end = buckets.readUInt32BE(at);
      return {
        from: bytes.length + start * KEY_BYTES,
        length: (end - start) * KEY_BYTES,
        digest: size > COUNT_BYTES ? buckets.subarray(at + COUNT_BYTES, at + size) : null,
      };
    },
  };
}

/** Numbers of the blocks with events of a key. @param keys what {@link Directory.rangeOf} tells of the index */
export function blocksOf(key: string, keys: Buffer): readonly number[] {
  const wanted = hashOf(key);
  const numbers: number[] = [];
  for (let at = 0; at < keys.length; at += KEY_BYTES) {
    if (wanted.equals(keys.subarray(at, at + 8))) numbers.push(keys.readUInt32BE(at + 8));
  }
  return numbers;
}

function hashOf(key: string): Buffer {
  return hash('sha256', key, 'buffer').subarray(0, 8);
}

function bucketAt(keys: Buffer, at: number): number {
  return keys.readUInt16BE(at) >> 4;
}
