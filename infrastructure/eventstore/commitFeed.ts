import { type CommittedBatch, Trail } from './catchUp.ts';
import type { WindowReader } from './windowPages.ts';
import type { EncodedEvent } from '../../application/ports/eventLog.ts';

export interface CommitFeedOptions {
  /** Reads commits of other processes. */
  readonly source: WindowReader;
  /** Hands one or several commits to the subscriptions, in order, without duplicates. */
  readonly offer: (batch: CommittedBatch) => void;
  /** Announces a position without its events: each subscription reads for itself. */
  readonly moved: (position: bigint) => void;
  /** Called after a failed read. */
  readonly onError?: (cause: unknown) => void;
}

/** Live feed of the log's commits, of this and other processes. */
export interface CommitFeed {
  /** Reports a commit of this process. */
  committed(batch: CommittedBatch): void;
  /**
   * Skips a commit of another process that no current subscription selects; it is read if a subscription starts before
   * delivery.
   */
  skipped(commit: Pick<CommittedBatch, 'previous' | 'last'>): void;
  /** Reports that the log has reached this position. */
  reached(position: bigint): void;
}

/** Longest range of positions read here; subscriptions that are further behind read their own pages. */
const LONGEST_STRETCH = 4000n;

/**
 * Reads commits of other processes once for all subscriptions of this one, and merges them with its own in order.
 * Without it each subscription would read them itself.
 */
export function createCommitFeed(options: CommitFeedOptions): CommitFeed {
  const { source, offer, moved, onError } = options;
  /** Null before the first position is heard of. */
  let trail: Trail | null = null;
  let isReading = false;

  function handOver(to: Trail, batch: CommittedBatch): void {
    to.cursor = batch.last;
    offer(batch);
  }

  function tell(to: Trail, position: bigint): void {
    to.cursor = position;
    moved(position);
  }

  async function advance(on: Trail): Promise<void> {
    for (;;) {
      for (let own = on.take(); own !== undefined; own = on.take()) handOver(on, own);
      const previous = on.cursor;
      const last = on.gap();
      if (last === null) {
        settled();
        return;
      }
      if (last - previous > LONGEST_STRETCH) tell(on, last);
      else {
        const events = await source.readWindow(previous, last, undefined);
        handOver(on, { previous, last, events });
      }
    }
  }

  /** Runs in the same turn in which nothing was left, so that a later commit is not missed. */
  function settled(): void {
    isReading = false;
  }

  function follow(on: Trail): void {
    if (isReading) return;
    isReading = true;
    advance(on).catch((cause: unknown) => {
      onError?.(cause);
      // Subscriptions handle a database outage themselves.
      tell(on, on.giveUp());
      settled();
    });
  }

  function reached(position: bigint): void {
    if (position <= (trail?.known ?? 0n)) return;
    const isFirst = trail === null;
    trail ??= new Trail(position);
    trail.reaches(position);
    if (isFirst) tell(trail, position);
    else follow(trail);
  }

  return {
    committed(batch) {
      trail ??= new Trail(batch.previous);
      if (!isReading && trail.cursor === batch.previous) {
        handOver(trail, batch);
        return;
      }
      trail.keep(batch);
      follow(trail);
    },
    skipped({ previous, last }) {
      if (!isReading && trail?.cursor === previous) {
        handOver(trail, { previous, last, events: [] });
      } else {
        reached(last);
      }
    },
    reached,
  };
}

/** Channel on which a writer announces the streams of its commit, in its transaction and before its position. */
export const announcementChannel = 'tamga_event_streams';

/** PostgreSQL's limit for a payload is below 8000 bytes. */
const PAYLOAD_BYTES = 7900;

/** Announced instead of more streams than a payload holds. */
const TOO_MANY = '*';

/** A commit of another process: events after `previous`, up to `last`, all of these streams. */
export interface AnnouncedCommit {
  readonly previous: bigint;
  readonly last: bigint;
  readonly streams: readonly string[];
  /** Id of the event at `last`. */
  readonly id: string;
}

/** Text for {@link announcementChannel}: the number of events, the id of the last one, their streams. */
export function announce(
  appends: readonly { readonly stream: string; readonly events: readonly EncodedEvent[] }[],
): string {
  let count = 0;
  let id = '';
  for (const { events } of appends) {
    count += events.length;
    id = events.at(-1)?.id ?? id;
  }
  const streams = new Set(appends.map(({ stream }) => stream));
  const text = [String(count), id, ...streams].join('\n');
  // A name with a line break would be read as two.
  const isFaithful = text.split('\n').length === streams.size + 2;
  return isFaithful && Buffer.byteLength(text) <= PAYLOAD_BYTES ? text : TOO_MANY;
}

/** Joins each notification of a position with the announcement before it. */
interface CommitAnnouncements {
  announced(processId: number, text: string): void;
  /** @returns null when the commit is known by its position alone */
  reached(processId: number, position: bigint): AnnouncedCommit | null;
}

/**
 * Joins the notifications of one connection. An announcement is used only when its commit follows the previous one
 * without a gap and stored every announced event: one of an earlier release, or with an append refused by its revision,
 * does not.
 */
export function createCommitAnnouncements(): CommitAnnouncements {
  let newest: bigint | null = null;
  let pending: { readonly processId: number; readonly text: string } | null = null;

  return {
    announced(processId, text) {
      pending = { processId, text };
    },
    reached(processId, position) {
      const previous = newest;
      const text = pending?.processId === processId ? pending.text : TOO_MANY;
      newest = position;
      pending = null;
      if (previous === null || text === TOO_MANY) return null;
      const [count = '', id = '', ...streams] = text.split('\n');
      if (position - previous !== BigInt(count)) return null;
      return { previous, last: position, streams, id };
    },
  };
}
