import { hash } from 'node:crypto';

/*
 * Index of the data of an archive entry, numbers big-endian:
 *
 *   "TAMGAIX1" | blocks (4) | keys (4)
 *   for each block: position of its first event (8) | offset in the data (6) | length (4), bytes | its SHA-256 (32)
 *   for each of 4,096 buckets: number of keys in it and in those before (4)
 *   for each key, by bucket: first 8 bytes of its SHA-256 (8) | number of a block with an event of it (4)
 *
 * Everything before the keys is the directory, whose digest is signed and in the catalog. The bucket of a key is the first 12 bits of its hash. A key is the name of a stream or the id of an event.
 */

const MAGIC = Buffer.from('TAMGAIX1', 'latin1');
const HEAD_BYTES = MAGIC.length + 8;
const BLOCK_BYTES = 50;
const BUCKETS = 4096;
const KEY_BYTES = 12;

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

/** Blocks of an entry, and where in the index the keys are. */
export interface Directory {
  readonly blocks: readonly Block[];
  /** Bytes of the index that hold the key, if it is there. */
  rangeOf(key: string): { readonly from: number; readonly length: number };
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

/** The counts of the buckets, and the keys in their order. */
function byBucket(keys: Buffer): readonly [Buffer, Buffer] {
  const counts = Array.from({ length: BUCKETS }, () => 0);
  for (let at = 0; at < keys.length; at += KEY_BYTES) {
    const bucket = bucketAt(keys, at);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  const ends = Buffer.alloc(BUCKETS * 4);
  const places: number[] = [];
  let end = 0;
  for (const [bucket, count] of counts.entries()) {
    places.push(end);
    end += count;
    ends.writeUInt32BE(end, bucket * 4);
  }
  const ordered = Buffer.alloc(keys.length);
  for (let at = 0; at < keys.length; at += KEY_BYTES) {
    const bucket = bucketAt(keys, at);
    const place = places[bucket] ?? 0;
    places[bucket] = place + 1;
    keys.copy(ordered, place * KEY_BYTES, at, at + KEY_BYTES);
  }
  return [ends, ordered];
}

/** Bytes of an index that precede its keys. @param head its first 16 bytes */
export function directoryBytes(head: Buffer): number {
  if (!head.subarray(0, MAGIC.length).equals(MAGIC))
    throw new Error('Not an archive index: wrong magic bytes.');
  return HEAD_BYTES + head.readUInt32BE(MAGIC.length) * BLOCK_BYTES + BUCKETS * 4;
}

/** Length of what `directoryBytes` reads, bytes. */
export const indexHeadBytes = HEAD_BYTES;

/** @param bytes as many as {@link directoryBytes} tells */
export function readDirectory(bytes: Buffer): Directory {
  const count = bytes.readUInt32BE(MAGIC.length);
  const counts = bytes.subarray(HEAD_BYTES + count * BLOCK_BYTES);
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
      const start = bucket === 0 ? 0 : counts.readUInt32BE((bucket - 1) * 4);
      const end = counts.readUInt32BE(bucket * 4);
      return { from: bytes.length + start * KEY_BYTES, length: (end - start) * KEY_BYTES };
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
