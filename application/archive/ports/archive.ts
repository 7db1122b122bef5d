import type { LoggedEvent } from '../../ports/eventLog.ts';

/** Category of the streams that are archived. */
export const archivedCategory = 'session';

/** Positions of the log, both included. */
export interface PositionRange {
  readonly first: bigint;
  readonly last: bigint;
}

/** Events of one range of the log that are in the archive, as the database knows of them. */
export interface ArchiveEntry extends PositionRange {
  /** Begins the names of its objects in the archive. */
  readonly name: string;
  readonly streams: number;
  /** 0: nothing of the range could be archived, and the archive has no objects for it. */
  readonly events: number;
  /** Bytes of its objects. */
  readonly bytes: number;
  /** Bounds of its keys, which are time-ordered: names of streams and ids of events. */
  readonly lowestStream: string;
  readonly highestStream: string;
  readonly lowestId: string;
  readonly highestId: string;
  /** Digest of what its index says of its blocks, hexadecimal. */
  readonly directorySha256: string;
  readonly archivedAt: Date;
}

/** An entry whose removal from the log and the read models may not be complete. */
export interface CatalogedEntry extends ArchiveEntry {
  readonly isRemoved: boolean;
  /** Time at which its events were put back into the log; null: they are in the archive alone. */
  readonly restoredAt: Date | null;
}

/** Sums over all entries. */
export interface ArchiveTotals {
  readonly sessions: number;
  readonly events: number;
  readonly bytes: number;
  /** Time of the last entry; null: there is none. */
  readonly newestAt: Date | null;
}

/** Catalog of the archive, in the database. @throws Unavailable(database) */
export interface ArchiveCatalog {
  /** All entries, oldest first. */
  entries(): Promise<readonly CatalogedEntry[]>;
  totals(): Promise<ArchiveTotals>;
  /** Entries with events that may have this stream name or event id. */
  mayHold(key: 'stream' | 'id', value: string): Promise<readonly CatalogedEntry[]>;
  /** Entries with positions in `after < position <= upTo`, oldest first. */
  overlapping(after: bigint, upTo: bigint): Promise<readonly CatalogedEntry[]>;
}

/** Archived events. @throws Unavailable(database, archive) */
export interface ArchivedEvents {
  /** The events of a stream, in order; none when it is not archived. */
  ofStream(stream: string): Promise<readonly LoggedEvent[]>;
  /** Null: not archived. */
  withId(id: string): Promise<LoggedEvent | null>;
  /** Events with `after < position <= upTo`, in order. */
  between(after: bigint, upTo: bigint): AsyncIterable<readonly LoggedEvent[]>;
}

/** The objects of entries. @throws Unavailable(archive) */
export interface ArchiveFiles {
  /** Writes the events of a range, in order, and signs what was written, under a name no other contents have. */
  write(
    range: PositionRange,
    events: AsyncIterable<readonly LoggedEvent[]>,
    onWritten?: (events: number) => void,
  ): Promise<ArchiveEntry>;
  /** The events of an entry, in order. @throws DamagedArchive */
  read(entry: ArchiveEntry): AsyncIterable<readonly LoggedEvent[]>;
  /** Tells whether the entry's manifest is there and signed. @throws DamagedArchive when it is not */
  expectPresent(entry: ArchiveEntry): Promise<void>;
  /** Reads an entry back and compares everything with what was signed. @throws DamagedArchive */
  verify(entry: ArchiveEntry): Promise<void>;
  remove(entry: ArchiveEntry): Promise<void>;
}

/** The archive differs from what was written. The message names the object and the reason. */
export class DamagedArchive extends Error {
  override readonly name = 'DamagedArchive';
}

/** Reason why nothing more can be archived now. */
export type NothingToArchive =
  /** Events that are left are too new, or at the end of the log, which is never archived. */
  | { readonly reason: 'notOldEnough' | 'newest' }
  /** A projection, a reactor or the audit tree has not come that far, or a rebuild runs. */
  | { readonly reason: 'behind'; readonly follower: string };

/** A log whose events can be moved to an archive. @throws Unavailable */
export interface ArchivableLog {
  /** The next range whose events all happened before this moment and that every follower of the log has passed. */
  nextRange(before: Date): Promise<PositionRange | NothingToArchive>;
  /**
   * Notes the entry and removes its events from the log, its rows from the read models. Interrupted after the entry was
   * noted, it is completed by calling it again.
   *
   * @param events of the entry, read back from the archive; may be called more than once
   */
  takeOut(entry: ArchiveEntry, events: () => AsyncIterable<readonly LoggedEvent[]>): Promise<void>;
  /**
   * Stores the entry's events at their positions again. The entry stays readable, so that readers that started earlier
   * miss none. Idempotent.
   *
   * @throws Error where the log cannot restore
   */
  putBack(entry: ArchiveEntry, events: () => AsyncIterable<readonly LoggedEvent[]>): Promise<void>;
  /** Forgets an entry that was put back. */
  forget(entry: ArchiveEntry): Promise<void>;
}
