import { type CommittedBatch, Trail } from './catchUp.ts';
import type { WindowReader } from './windowPages.ts';

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

  function announce(to: Trail, position: bigint): void {
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
      if (last - previous > LONGEST_STRETCH) announce(on, last);
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
      announce(on, on.giveUp());
      settled();
    });
  }

  function reached(position: bigint): void {
    if (position <= (trail?.known ?? 0n)) return;
    const isFirst = trail === null;
    trail ??= new Trail(position);
    trail.reaches(position);
    if (isFirst) announce(trail, position);
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
