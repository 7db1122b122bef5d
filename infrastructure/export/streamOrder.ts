import { hash, randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A line whose revision does not follow that of its stream's line before. */
export interface OrderFault {
  readonly line: number;
  readonly revision: bigint;
  readonly expected: bigint;
}

/** Checks that the events of each stream have the revisions 0, 1, 2, … in the order of the lines. */
export interface StreamOrder {
  /** Takes lines in their order. */
  add(line: number, stream: string, revision: bigint): void;
  /** Ends it. @returns the number of faults, and the first of them by line */
  faults(most: number): OrderFaults;
  /** Removes what was spilled. */
  close(): void;
}

export interface OrderFaults {
  readonly count: number;
  readonly first: readonly OrderFault[];
}

/** Digest of the stream (16 bytes), revision and line (8 each). */
const RECORD = 32;
const DIGEST = 16;
/** Bytes gathered for a file before they are written. */
const WRITE = 16 * 1024;
/** Streams remembered at a time, some 150 bytes each. */
const STREAMS = 100_000;

/**
 * Spills a record of each line to temporary files by the digest of its stream, and checks file by file; one of too many
 * streams is spilled again. 32 bytes of disk an event, and the same memory for any number of streams.
 *
 * @param streamsAtOnce remembered at most
 */
export function createStreamOrder(streamsAtOnce = STREAMS): StreamOrder {
  const directory = mkdtempSync(join(tmpdir(), 'tamga-order-'));
  const spill = createSpill(join(directory, 'order'), 0);
  /** Of this run alone: what a process that is killed leaves behind names no stream. */
  const key = randomBytes(32).toString('hex');

  /** @returns null when the file is of too many streams */
  function check(path: string, most: number): OrderFaults | null {
    const revisions = new Map<string, bigint>();
    let count = 0;
    const first: OrderFault[] = [];
    for (const record of recordsOf(path)) {
      const stream = record.toString('latin1', 0, DIGEST);
      const revision = record.readBigInt64LE(DIGEST);
      const expected = (revisions.get(stream) ?? -1n) + 1n;
      revisions.set(stream, revision);
      if (revisions.size > streamsAtOnce) return null;
      if (revision === expected) continue;
      count += 1;
      if (first.length < most) {
        first.push({ line: Number(record.readBigInt64LE(DIGEST + 8)), revision, expected });
      }
    }
    return { count, first };
  }

  function checkAll(paths: readonly string[], depth: number, most: number): OrderFaults {
    return paths.reduce<OrderFaults>(
      (sum, path) => {
        const found = check(path, most) ?? checkAll(spillAgain(path, depth), depth + 1, most);
        rmSync(path);
        const first = [...sum.first, ...found.first].sort((one, other) => one.line - other.line);
        return { count: sum.count + found.count, first: first.slice(0, most) };
      },
      { count: 0, first: [] },
    );
  }

  return {
    add(line, stream, revision) {
      const record = Buffer.allocUnsafe(RECORD);
      record.set(hash('sha256', key + stream, 'buffer').subarray(0, DIGEST));
      record.writeBigInt64LE(revision, DIGEST);
      record.writeBigInt64LE(BigInt(line), DIGEST + 8);
      spill.add(record);
    },
    faults: (most) => checkAll(spill.end(), 1, most),
    close() {
      spill.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Files of records by one byte of the digest, in the order they were added. @param depth of that byte */
function createSpill(prefix: string, depth: number) {
  const files = new Map<number, ReturnType<typeof createFile>>();
  return {
    add(record: Buffer): void {
      const byte = record[depth] ?? 0;
      let file = files.get(byte);
      if (file === undefined) files.set(byte, (file = createFile(`${prefix}-${byte}`)));
      file.add(record);
    },
    /** Closes them unwritten. */
    close(): void {
      for (const file of files.values()) file.close();
      files.clear();
    },
    /** Writes what is held. @returns their paths */
    end(): readonly string[] {
      const paths = Array.from(files.values(), (file) => file.end());
      files.clear();
      return paths;
    },
  };
}

function createFile(path: string) {
  const fd = openSync(path, 'wx', 0o600);
  const held = Buffer.alloc(WRITE);
  let fill = 0;
  let isOpen = true;

  function close(): void {
    if (isOpen) closeSync(fd);
    isOpen = false;
  }

  return {
    add(record: Buffer): void {
      held.set(record, fill);
      fill += RECORD;
      if (fill < WRITE) return;
      writeWhole(fd, held);
      fill = 0;
    },
    end(): string {
      writeWhole(fd, held.subarray(0, fill));
      close();
      return path;
    },
    close,
  };
}

/** A short write would shift every record after it. */
function writeWhole(fd: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) {
    written += writeSync(fd, bytes, written, bytes.length - written);
  }
}

/** Parts a file by the next byte of the digests: at the last one a file is of one stream. */
function spillAgain(path: string, depth: number): readonly string[] {
  const spill = createSpill(path, depth);
  for (const record of recordsOf(path)) spill.add(record);
  return spill.end();
}

function* recordsOf(path: string): Generator<Buffer> {
  const fd = openSync(path, 'r');
  try {
    const piece = Buffer.alloc(WRITE);
    for (let bytes = readSync(fd, piece); bytes > 0; bytes = readSync(fd, piece)) {
      for (let at = 0; at < bytes; at += RECORD) yield piece.subarray(at, at + RECORD);
    }
  } finally {
    closeSync(fd);
  }
}
