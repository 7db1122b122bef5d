import type pg from 'pg';
import {
  type ArchivableLog,
  archivedCategory,
  type NothingToArchive,
  type PositionRange,
} from '../../application/archive/ports/archive.ts';
import { eventBatches } from '../../application/ports/eventBatches.ts';
import type { EventLog, LoggedEvent } from '../../application/ports/eventLog.ts';
import {
  deleteRows,
  followerBehind,
  forgetEntry,
  loadEvents,
  markRemoved,
  noteEntry,
} from '../postgres/archivedRows.ts';
import { inTransaction } from '../postgres/pool.ts';

export interface EventStoreDbArchivableLogOptions {
  /** Database of the catalog and the read models. */
  readonly pool: pg.Pool;
  /** The log with what it has itself alone. */
  readonly log: Pick<EventLog, 'subscribe' | 'head'>;
  /** Connection string of a user that may delete streams. @throws Error when there is none */
  readonly deletingUrl: () => string;
  /** Session events of an entry; as many behind it stay. */
  readonly entryEvents: number;
}

/**
 * {@link ArchivableLog} of the log in EventStoreDB. The database notes the entry first; then each stream ends in a
 * tombstone, which nothing can be appended to and a scavenge leaves alone of the stream. Between the two, and until the
 * scavenge, events are in both places and read once.
 */
export function createEventStoreDbArchivableLog(
  options: EventStoreDbArchivableLogOptions,
): ArchivableLog {
  const { pool, log, deletingUrl, entryEvents } = options;

  /** Reads on from the last entry: the bounds of an entry are positions of events, elsewhere no read may begin. */
  async function nextRange(before: Date): Promise<PositionRange | NothingToArchive> {
    // Missing, nothing is read or written in vain.
    deletingUrl();
    const { rows } = await pool.query<{ last: bigint | null }>(
      'select max(last_position) as last from archive_entry',
    );
    const after = rows[0]?.last ?? 0n;
    let count = 0;
    let last: bigint | null = null;
    for await (const batch of eventBatches(log, after, { categories: [archivedCategory] })) {
      for (const event of batch) {
        if (last === null && timeOf(event) >= before) return { reason: 'notOldEnough' };
        count += 1;
        if (count === entryEvents) last = event.position;
        if (last !== null && count === 2 * entryEvents) return passed({ first: after + 1n, last });
      }
    }
    return { reason: 'newest' };
  }

  /** The range, unless a follower of the log has not come that far. */
  async function passed(range: PositionRange): Promise<PositionRange | NothingToArchive> {
    const follower = await followerBehind(pool, range.last);
    return follower === undefined ? range : { reason: 'behind', follower };
  }

  return {
    nextRange,
    async takeOut(entry, events) {
      const { openStreamDeletion } = await import('./eventStoreDb/streamDeletion.ts');
      // Connected first: without the server, or the right, nothing is noted.
      const deletion = await openStreamDeletion(deletingUrl());
      try {
        await inTransaction(pool, async (client) => {
          if (!(await noteEntry(client, entry))) return;
          await loadEvents(client, events, false);
          await deleteRows(client, entry);
        });
        await deletion.remove(await endsOf(events()));
      } finally {
        deletion.close();
      }
      await markRemoved(pool, entry);
    },
    putBack: (entry) =>
      Promise.reject(
        new Error(
          `${entry.name} stays in the archive, because EventStoreDB cannot take an event back at its position. Its events can still be read there, by id and with ./tamga audit export (docs/operations.md, Archive).`,
        ),
      ),
    forget: (entry) => forgetEntry(pool, entry),
  };
}

/** Revision of the last event of each stream. */
async function endsOf(
  batches: AsyncIterable<readonly LoggedEvent[]>,
): Promise<ReadonlyMap<string, bigint>> {
  const ends = new Map<string, bigint>();
  for await (const batch of batches) {
    for (const { stream, revision } of batch) ends.set(stream, revision);
  }
  return ends;
}

function timeOf({ metadata }: LoggedEvent): Date {
  return new Date((JSON.parse(metadata) as { readonly time: string }).time);
}
