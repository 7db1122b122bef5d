import { createHash, hash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import {
  type ArchiveEntry,
  type ArchiveFiles,
  DamagedArchive,
  type PositionRange,
} from '../../application/archive/ports/archive.ts';
import type { FileSpool } from '../../application/document/ports/fileStore.ts';
import type { Clock } from '../../application/ports/clock.ts';
import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import type { FileContent, ObjectStore } from '../../application/ports/objectStore.ts';
import { eventLeafHash } from '../../domain/merkle/hashTree.ts';
import { createFrontier } from '../../domain/merkle/frontier.ts';
import { BadEventLine, eventLine, parseEventLine } from '../export/eventLines.ts';
import { type Block, createIndexWriter, directoryBytes, readDirectory } from './archiveIndex.ts';

/** Signed description of an entry; member names are part of the format. */
export interface Manifest {
  readonly format: 1;
  readonly name: string;
  /** Positions of the range the events were taken from, decimal. */
  readonly firstPosition: string;
  readonly lastPosition: string;
  readonly streams: number;
  readonly events: number;
  /** Root of the Merkle tree (RFC 9162) over the events as leaves of version 2, base64. */
  readonly root: string;
  readonly data: { readonly bytes: number; readonly sha256: string };
  readonly index: { readonly bytes: number; readonly sha256: string };
  /** SHA-256 of what precedes the keys in the index, hexadecimal. */
  readonly directory: string;
  /** Bounds of the names of streams and of the ids of events. */
  readonly keys: readonly [string, string, string, string];
  /** ISO 8601, UTC. */
  readonly archivedAt: string;
}

/** Signs manifests with the key of the audit tree, and checks its signatures. */
export interface ManifestSigner {
  /** A JSON Web Signature, compact. @throws Unavailable(keyVault, database) */
  sign(manifest: Manifest): Promise<string>;
  /** The manifest; null: not signed with a key of the audit tree. */
  verified(signed: string): Promise<Manifest | null>;
}

export interface ArchiveFilesOptions {
  readonly store: ObjectStore;
  readonly spool: FileSpool;
  readonly signer: ManifestSigner;
  readonly clock: Clock;
}

/** Events of a block: what is read for one stream. */
const BLOCK_EVENTS = 256;
/** Longest signed manifest. */
const MANIFEST_BYTES = 65_536;
const compress = promisify(gzip);
const decompress = promisify(gunzip);

/** Names of an entry's objects. */
export const objectsOf = ({ name }: { readonly name: string }) => ({
  data: `${name}.jsonl.gz`,
  index: `${name}.index`,
  manifest: `${name}.jws`,
});

/**
 * Archive entries as three objects each: `.jsonl.gz` with the lines of an export ({@link eventLine}) in blocks that are
 * gzip members of their own, so that `zcat` reads it whole and one block can be read alone; `.index` of its streams and
 * events; `.jws`, the signed manifest.
 */
export function createArchiveFiles(options: ArchiveFilesOptions): ArchiveFiles {
  const { store, spool, signer, clock } = options;

  /** @throws DamagedArchive beyond the bytes of all objects of the entry, or what a manifest may have */
  async function* contents(
    name: string,
    { bytes }: Pick<ArchiveEntry, 'bytes'>,
  ): AsyncGenerator<Uint8Array> {
    const found = await store.get(name);
    if (found === null) throw new DamagedArchive(`${name} is missing from the archive.`);
    let length = 0;
    for await (const piece of found) {
      length += piece.length;
      if (length > Math.max(bytes, MANIFEST_BYTES)) {
        throw new DamagedArchive(`${name} is longer than when it was written.`);
      }
      yield piece;
    }
  }

  async function whole(name: string, entry: Pick<ArchiveEntry, 'bytes'>): Promise<Buffer> {
    const pieces: Uint8Array[] = [];
    for await (const piece of contents(name, entry)) pieces.push(piece);
    return Buffer.concat(pieces);
  }

  /**
   * The blocks, as the catalog's digest of the index vouches for them.
   *
   * @param onPiece called with the data as it is read, in order
   */
  async function* blocks(
    entry: ArchiveEntry,
    onPiece: (piece: Uint8Array) => void = () => undefined,
  ): AsyncGenerator<{ readonly events: readonly LoggedEvent[]; readonly block: Buffer }> {
    const { data, index } = objectsOf(entry);
    const differ = () => new DamagedArchive(`${data} and ${index} have different lengths.`);
    const known = blocksIn(await whole(index, entry), entry)[Symbol.iterator]();
    let next = known.next();
    let rest = Buffer.alloc(0);
    for await (const piece of contents(data, entry)) {
      onPiece(piece);
      rest = Buffer.concat([rest, piece]);
      for (; next.done !== true && rest.length >= next.value.length; next = known.next()) {
        const { length, digest } = next.value;
        const block = rest.subarray(0, length);
        // Unpacked only when it is known: a few bytes can be made that become gigabytes.
        if (!hash('sha256', block, 'buffer').equals(digest)) {
          throw new DamagedArchive(`${data} was changed after it was written.`);
        }
        yield { events: await eventsOfBlock(block, data), block };
        rest = rest.subarray(length);
      }
      if (next.done === true && rest.length > 0) throw differ();
    }
    if (next.done !== true) throw differ();
  }

  /** @throws DamagedArchive when it is missing, not signed, or of another entry */
  async function manifestOf(entry: ArchiveEntry): Promise<Manifest> {
    const name = objectsOf(entry).manifest;
    const manifest = await signer.verified((await whole(name, entry)).toString('latin1'));
    if (manifest?.name === entry.name) return manifest;
    throw new DamagedArchive(`${name} is not signed with a key of the audit tree.`);
  }

  async function put(name: string, bytes: Buffer): Promise<FileContent> {
    const content = contentOf(bytes);
    await store.put(name, content);
    return content;
  }

  return {
    async write(range, events, onWritten = () => undefined) {
      const inventory = createInventory();
      const data = await spool.take(compressed(events, inventory, onWritten), Infinity);
      try {
        const indexBytes = inventory.index();
        const index = contentOf(indexBytes);
        const name = nameOf(range, inventory.counts().events === 0 ? null : data.sha256);
        const names = objectsOf({ name });
        const manifest: Manifest = {
          format: 1,
          name,
          firstPosition: String(range.first),
          lastPosition: String(range.last),
          ...inventory.counts(),
          data: { bytes: data.sizeBytes, sha256: data.sha256 },
          index: { bytes: index.sizeBytes, sha256: index.sha256 },
          directory: directoryDigest(indexBytes),
          archivedAt: clock.now().toISOString(),
        };
        if (manifest.events === 0) return entryOf(manifest, 0);
        await store.put(names.data, data);
        await store.put(names.index, index);
        const signed = await put(names.manifest, Buffer.from(await signer.sign(manifest)));
        return entryOf(manifest, data.sizeBytes + index.sizeBytes + signed.sizeBytes);
      } finally {
        await data.discard();
      }
    },
    async *read(entry) {
      if (entry.events === 0) return;
      for await (const { events } of blocks(entry)) yield events;
    },
    async expectPresent(entry) {
      await manifestOf(entry);
    },
    async verify(entry) {
      if (entry.events === 0 && entry.name === nameOf(entry, null)) return;
      const names = objectsOf(entry);
      const manifest = await manifestOf(entry);
      const inventory = createInventory();
      const digest = createHash('sha256');
      let bytes = 0;
      const hashed = (piece: Uint8Array) => {
        digest.update(piece);
        bytes += piece.length;
      };
      for await (const { events, block } of blocks(entry, hashed)) inventory.add(events, block);
      const stored = await whole(names.index, entry);
      if (!stored.equals(inventory.index())) {
        throw new DamagedArchive(`${names.index} is not the index of ${names.data}.`);
      }
      const index = contentOf(stored);
      const found: Manifest = {
        ...manifest,
        ...inventory.counts(),
        data: { bytes, sha256: digest.digest('hex') },
        index: { bytes: index.sizeBytes, sha256: index.sha256 },
        directory: directoryDigest(stored),
      };
      expectEqual(`${entry.name} differs from what was signed`, found, manifest);
      // The catalog is compared with the manifest, too: a database administrator could have altered it.
      const known = entryOf(manifest, entry.bytes);
      expectEqual(`The catalog differs from what was signed for ${entry.name}`, entry, known);
    },
    async remove(entry) {
      for (const object of Object.values(objectsOf(entry))) await store.remove(object);
    },
  };
}

/**
 * File name of an archive entry: sorts by range and contains the hash, so a cataloged file is never overwritten.
 *
 * @param sha256 of the data, hexadecimal; null: the entry is empty
 */
function nameOf({ first, last }: PositionRange, sha256: string | null): string {
  const digits = (position: bigint) => position.toString().padStart(19, '0');
  return `session-${digits(first)}-${digits(last)}-${sha256?.slice(0, 16) ?? 'empty'}`;
}

/** Compares the members of `expected`. @throws DamagedArchive with the names of those that differ */
function expectEqual<Compared extends object>(
  what: string,
  found: Compared,
  expected: Partial<Compared>,
): void {
  const text = (value: unknown) =>
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? String(each) : each));
  const differing = (Object.keys(expected) as (keyof Compared & string)[]).filter(
    (member) => text(found[member]) !== text(expected[member]),
  );
  if (differing.length > 0) throw new DamagedArchive(`${what}, in ${differing.join(', ')}.`);
}

function entryOf(manifest: Manifest, bytes: number): ArchiveEntry {
  const [lowestStream, highestStream, lowestId, highestId] = manifest.keys;
  return {
    name: manifest.name,
    first: BigInt(manifest.firstPosition),
    last: BigInt(manifest.lastPosition),
    streams: manifest.streams,
    events: manifest.events,
    bytes,
    lowestStream,
    highestStream,
    lowestId,
    highestId,
    directorySha256: manifest.directory,
    archivedAt: new Date(manifest.archivedAt),
  };
}

/** Counts what an entry holds, and makes its index and its Merkle root. */
function createInventory() {
  const index = createIndexWriter();
  const tree = createFrontier();
  let streams = 0;
  let offset = 0;
  const bounds = { streams: createBounds(), ids: createBounds() };

  return {
    /** @param block the events compressed */
    add(events: readonly LoggedEvent[], block: Buffer): void {
      const { length } = block;
      const digest = hash('sha256', block, 'buffer');
      const contents = new Set<string>();
      for (const event of events) {
        tree.append(eventLeafHash(event));
        if (event.revision === 0n) streams += 1;
        contents.add(event.stream).add(event.id);
        bounds.streams.widen(event.stream);
        bounds.ids.widen(event.id);
      }
      index.add({ first: events[0]?.position ?? 0n, offset, length, digest }, contents);
      offset += length;
    },
    counts: () => ({
      streams,
      events: tree.size,
      root: tree.root().toString('base64'),
      keys: [...bounds.streams.of(), ...bounds.ids.of()] as const,
    }),
    index: () => index.bytes(),
  };
}

/** Lowest and highest of some texts. */
function createBounds() {
  let lowest: string | undefined;
  let highest = '';
  return {
    widen(text: string): void {
      if (lowest === undefined || text < lowest) lowest = text;
      if (text > highest) highest = text;
    },
    of: () => [lowest ?? '', highest] as const,
  };
}

async function* compressed(
  batches: AsyncIterable<readonly LoggedEvent[]>,
  inventory: ReturnType<typeof createInventory>,
  onWritten: (events: number) => void,
): AsyncGenerator<Uint8Array> {
  let written = 0;
  async function block(events: readonly LoggedEvent[]): Promise<Buffer> {
    const bytes = await compress(`${events.map(eventLine).join('\n')}\n`);
    inventory.add(events, bytes);
    written += events.length;
    onWritten(written);
    return bytes;
  }
  let waiting: readonly LoggedEvent[] = [];
  for await (const batch of batches) {
    waiting = [...waiting, ...batch];
    for (; waiting.length >= BLOCK_EVENTS; waiting = waiting.slice(BLOCK_EVENTS)) {
      yield await block(waiting.slice(0, BLOCK_EVENTS));
    }
  }
  if (waiting.length > 0) yield await block(waiting);
}

/** The events of a block. @param name of the object, for the error. @throws DamagedArchive */
export async function eventsOfBlock(bytes: Buffer, name: string): Promise<readonly LoggedEvent[]> {
  try {
    const lines = (await decompress(bytes)).toString().split('\n');
    return lines.slice(0, -1).map(parseEventLine);
  } catch (error) {
    if (!(error instanceof BadEventLine) && !isOfZlib(error)) throw error;
    throw new DamagedArchive(`${name} has a block that cannot be read.`, { cause: error });
  }
}

function isOfZlib(error: unknown): boolean {
  return String((error as { readonly code?: unknown }).code).startsWith('Z_');
}

/** Digest of the directory of an index, hexadecimal. */
function directoryDigest(index: Buffer): string {
  return hash('sha256', index.subarray(0, directoryBytes(index)));
}

/** The blocks that the index of an entry names. @throws DamagedArchive when it is not the one that was written */
function blocksIn(bytes: Buffer, entry: ArchiveEntry): readonly Block[] {
  const { index } = objectsOf(entry);
  try {
    if (directoryDigest(bytes) === entry.directorySha256) {
      return readDirectory(bytes.subarray(0, directoryBytes(bytes))).blocks;
    }
  } catch (error) {
    throw new DamagedArchive(`${index} cannot be read.`, { cause: error });
  }
  throw new DamagedArchive(`${index} was changed after it was written.`);
}

function contentOf(bytes: Buffer): FileContent {
  return {
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    // eslint-disable-next-line @typescript-eslint/require-await -- bytes in memory
    async *read() {
      yield bytes;
    },
  };
}
