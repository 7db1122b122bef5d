import type { CommittedBatch, EventSource } from './catchUpSubscription.ts';

export interface CommitFeedOptions {
  /** Where the commits of other processes are read. */
  readonly source: Pick<EventSource, 'readWindow'>;
  /** Hands a commit, or several in one, to whoever follows the log; in order, none twice. */
  readonly offer: (batch: CommittedBatch) => void;
  /** Says that the log has reached this position, of which nothing is handed over: each reads for itself. */
  readonly moved: (position: bigint) => void;
  /** Hears of failed reads. */
  readonly onError?: (cause: unknown) => void;
}

/** The log as it grows, whoever writes it. */
export interface CommitFeed {
  /** This process committed something. */
  committed(batch: CommittedBatch): void;
  /** The log has reached this position. */
  reached(position: bigint): void;
}

/** Longer stretches are not read here: who catches up reads windows of its own. */
const LONGEST_STRETCH = 4000n;

/**
 * Reads what other processes committed once for all subscriptions of this one, and puts it in order with what this
 * one commits. Without it each subscription would read every commit of the others by itself.
 */
export function createCommitFeed(options: CommitFeedOptions): CommitFeed {
  const { source, offer, moved, onError } = options;
  /** Everything up to here was handed over or announced; null: nothing yet. */
  let cursor: bigint | null = null;
  let known = 0n;
  /** What this process committed behind a stretch that is still to be read. */
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

  /** @returns where the next stretch of others ends; null: there is none */
  function endOfStretch(from: bigint): bigint | null {
    const [next] = own;
    const end = next === undefined ? known : next.previous;
    return end > from ? end : null;
  }

  function handOverOwn(): void {
    for (let [next] = own; next !== undefined && cursor !== null; [next] = own) {
      if (next.previous > cursor) return;
      own.shift();
      // Read already, when its notification came before its acknowledgement.
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

  /** In the turn in which nothing was left, so that what comes in the next is not missed. */
  function settled(): void {
    isReading = false;
  }

  function follow(): void {
    if (isReading) return;
    isReading = true;
    advance().catch((cause: unknown) => {
      onError?.(cause);
      // Whoever follows knows how to wait for a database that is away.
      const newest = own.at(-1)?.last ?? known;
      own = [];
      announce(newest > known ? newest : known);
      settled();
    });
  }

  return {
    committed(batch) {
      if (!isReading && (cursor === null || cursor === batch.previous)) {
        handOver(batch);
        return;
      }
      own.push(batch);
      follow();
    },
    reached(position) {
      if (position <= known) return;
      known = position;
      if (cursor === null) announce(position);
      else follow();
    },
  };
}
