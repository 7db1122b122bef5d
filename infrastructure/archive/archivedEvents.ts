import { hash } from 'node:crypto';
import {
  type ArchiveCatalog,
  type ArchivedEvents,
  type CatalogedEntry,
  DamagedArchive,
} from '../../application/archive/ports/archive.ts';
import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { ByteRange, ObjectStore } from '../../application/ports/objectStore.ts';
import { eventsOfBlock, objectsOf } from './archiveFiles.ts';
import {
  type Block,
  blocksOf,
  type Directory,
  directoryBytes,
  indexHeadBytes,
  readDirectory,
} from './archiveIndex.ts';

export interface ArchivedEventsOptions {
  readonly catalog: Pick<ArchiveCatalog, 'mayHold' | 'overlapping'>;
  readonly store: Pick<ObjectStore, 'get'>;
}

/** Directories kept in memory, some 2 MB each for ten million events. */
const KEPT = 8;
/** Compressed bytes read at once. */
const READ_BYTES = 4 * 1024 * 1024;

/** Reads single streams and ranges of the archive by its indexes, without reading whole objects. */
export function createArchivedEvents({ catalog, store }: ArchivedEventsOptions): ArchivedEvents {
  const directories = new Map<string, Directory>();

  async function part(name: string, range: ByteRange): Promise<Buffer> {
    const found = await store.get(name, range);
    if (found === null) throw new Unavailable('archive', new Error(`${name} is missing.`));
    const pieces: Uint8Array[] = [];
    let length = 0;
    for await (const piece of found) {
      pieces.push(piece);
      length += piece.length;
      if (length > range.length) break;
    }
    if (length === range.length) return Buffer.concat(pieces);
    throw new Unavailable(
      'archive',
      new DamagedArchive(`${name} has another length than when it was written.`),
    );
  }

  async function directoryOf(entry: CatalogedEntry): Promise<Directory> {
    const known = directories.get(entry.name);
    if (known !== undefined) return known;
    const { index } = objectsOf(entry);
    const head = await part(index, { from: 0, length: indexHeadBytes });
    const length = directoryBytesOf(head, entry, index);
    const bytes = await part(index, { from: 0, length });
    if (hash('sha256', bytes) !== entry.directorySha256) {
      throw new Unavailable(
        'archive',
        new DamagedArchive(`${index} was changed after it was written.`),
      );
    }
    const directory = readDirectory(bytes);
    if (directories.size >= KEPT) directories.delete([...directories.keys()][0] ?? '');
    directories.set(entry.name, directory);
    return directory;
  }

  async function eventsIn(
    entry: CatalogedEntry,
    blocks: readonly Block[],
  ): Promise<readonly LoggedEvent[]> {
    const [first] = blocks;
    const last = blocks.at(-1);
    if (first === undefined || last === undefined) return [];
    const { data } = objectsOf(entry);
    const from = first.offset;
    const bytes = await part(data, { from, length: last.offset + last.length - from });
    const each = blocks.map(({ offset, length, digest }) => {
      const block = bytes.subarray(offset - from, offset - from + length);
      if (hash('sha256', block, 'buffer').equals(digest)) return eventsOfBlock(block, data);
      throw new Unavailable(
        'archive',
        new DamagedArchive(`${data} was changed after it was written.`),
      );
    });
    const events = (await Promise.all(each)).flat();
    return entry.restoredAt === null
      ? events.map((event) => ({ ...event, archived: true }))
      : events;
  }

  /** Events of the blocks that may have the key. */
  async function found(
    entry: CatalogedEntry,
    key: string,
    is: (event: LoggedEvent) => boolean,
  ): Promise<readonly LoggedEvent[]> {
    const directory = await directoryOf(entry);
    const range = directory.rangeOf(key);
    if (range.length === 0) return [];
    const { index } = objectsOf(entry);
    const keys = await part(index, range);
    if (range.digest?.equals(hash('sha256', keys, 'buffer')) === false) {
      throw new Unavailable('archive', new DamagedArchive(`The keys of ${index} were changed.`));
    }
    const numbers = blocksOf(key, keys);
    const blocks = numbers.flatMap((number) => directory.blocks[number] ?? []);
    const events = await Promise.all(blocks.map((block) => eventsIn(entry, [block])));
    return events.flat().filter(is);
  }

  return {
    async ofStream(stream) {
      for (const entry of await catalog.mayHold('stream', stream)) {
        const events = await found(entry, stream, (event) => event.stream === stream);
        if (events.length > 0) return events.toSorted((a, b) => (a.revision < b.revision ? -1 : 1));
      }
      return [];
    },
    async withId(id) {
      for (const entry of await catalog.mayHold('id', id)) {
        const [event] = await found(entry, id, (each) => each.id === id);
        if (event !== undefined) return event;
      }
      return null;
    },
    async *between(after, upTo) {
      for (const entry of await catalog.overlapping(after, upTo)) {
        const { blocks } = await directoryOf(entry);
        const isIn = ({ position }: LoggedEvent) => position > after && position <= upTo;
        for (const some of readTogether(blocksBetween(blocks, after, upTo))) {
          yield (await eventsIn(entry, some)).filter(isIn);
        }
      }
    },
  };
}

/** Length of the directory. @throws Unavailable when the index, which is not checked yet, states an impossible one */
function directoryBytesOf(head: Buffer, { bytes }: CatalogedEntry, index: string): number {
  try {
    const length = directoryBytes(head);
    if (length <= bytes) return length;
    throw new Error('The directory of the archive entry is longer than the entry.');
  } catch (cause) {
    throw new Unavailable('archive', new DamagedArchive(`${index} cannot be read.`, { cause }));
  }
}

/** Blocks that may contain positions of the range, from the last block that starts before it. */
function blocksBetween(blocks: readonly Block[], after: bigint, upTo: bigint): readonly Block[] {
  const behind = blocks.findIndex(({ first }) => first > after + 1n);
  const end = blocks.findIndex(({ first }) => first > upTo);
  const begin = behind < 0 ? blocks.length - 1 : Math.max(0, behind - 1);
  return blocks.slice(begin, end < 0 ? undefined : end);
}

/** Neighbouring blocks, in groups of limited size. */
function* readTogether(blocks: readonly Block[]): Generator<readonly Block[]> {
  let group: Block[] = [];
  let bytes = 0;
  for (const block of blocks) {
    if (bytes + block.length > READ_BYTES && group.length > 0) {
      yield group;
      group = [];
      bytes = 0;
    }
    group.push(block);
    bytes += block.length;
  }
  if (group.length > 0) yield group;
}
