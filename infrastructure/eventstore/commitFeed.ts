import type { CommittedBatch } from './catchUpSubscription.ts';
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
  /** Position up to which everything was handed over or announced; null: nothing yet. */
  let cursor: bigint | null = null;
  let known = 0n;
  /** Commits after a range that is still to be read, in order. */
  let own: CommittedBatch[] = [];
  let isReading = false;

  function handOver(batch: CommittedBatch): void {
    cursor = batch.last;
    offer(batch);
  }

  function announce(position: bigint): void {
    cursor = position;
    moved(position);
  }

  /** @returns end of the next range committed by other processes; null: there is none */
  function endOfStretch(from: bigint): bigint | null {
    const [next] = own;
    const end = next === undefined ? known : next.previous;
    return end > from ? end : null;
  }

  /**
   * Own commits are inserted in order: one may be acknowledged after the next commit of another process was notified.
   */
  function keep(batch: CommittedBatch): void {
    const after = own.findLastIndex(({ previous }) => previous < batch.previous);
    own.splice(after + 1, 0, batch);
  }

  function handOverOwn(): void {
    for (let [next] = own; next !== undefined && cursor !== null; [next] = own) {
      if (next.previous > cursor) return;
      own.shift();
      // Skipped when already read: its notification arrived before its acknowledgement.
      if (next.last > cursor) handOver(next);
    }
  }

  async function advance(): Promise<void> {
    for (;;) {
      handOverOwn();
      const previous = cursor ?? known;
      const last = endOfStretch(previous);
      if (last === null) {
        settled();
        return;
      }
      if (last - previous > LONGEST_STRETCH) announce(last);
      else handOver({ previous, last, events: await source.readWindow(previous, last, undefined) });
    }
  }

  /** Runs in the same turn in which nothing was left, so that a later commit is not missed. */
  function settled(): void {
    isReading = false;
  }

  function follow(): void {
    if (isReading) return;
    isReading = true;
    advance().catch((cause: unknown) => {
      onError?.(cause);
      // Subscriptions handle a database outage themselves.
      const newest = own.at(-1)?.last ?? known;
      own = [];
      announce(newest > known ? newest : known);
      settled();
    });
  }

  function reached(position: bigint): void {
    if (position <= known) return;
    known = position;
    if (cursor === null) announce(position);
    else follow();
  }

  return {
    committed(batch) {
      if (!isReading && (cursor === null || cursor === batch.previous)) {
        handOver(batch);
        return;
      }
      keep(batch);
      follow();
    },
    skipped({ previous, last }) {
      if (!isReading && cursor === previous) handOver({ previous, last, events: [] });
      else reached(last);
    },
    reached,
  };
}
