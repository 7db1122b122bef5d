import type { LoggedEvent, SubscriptionOptions } from '../../application/ports/eventLog.ts';
import { categoryOf } from '../../domain/shared/streams.ts';

/** Events of one commit: those after `previous`, up to `last`, without gaps. */
export interface CommittedBatch {
  readonly previous: bigint;
  readonly last: bigint;
  readonly events: readonly LoggedEvent[];
}

/** Events in order; complete up to `upTo` for the requested categories, except those already read. */
export interface LogPage {
  readonly events: readonly LoggedEvent[];
  readonly upTo: bigint;
}

/** The checkpoint is after the end of the log: events are missing, or it is another log. */
export class LogEndsBeforeCheckpoint extends Error {
  override readonly name = 'LogEndsBeforeCheckpoint';

  constructor(checkpoint: bigint, head: bigint) {
    super(
      `The event log ends at position ${head}, before the checkpoint ${checkpoint}: it is another log, or a version of it older than what was ` +
        'already read. Restore the newer log, or rebuild the read models (docs/operations.md, Restore).',
    );
  }
}

/**
 * Known positions of a subscription or feed that follows a log: up to where events were handed on, how far the log
 * reaches, and the commits in between that were handed over and need not be read. The only place where these are
 * compared.
 */
export class Trail {
  /** Everything up to here was handed on. */
  cursor: bigint;
  #known: bigint | null = null;
  #kept: CommittedBatch[] = [];
  #events = 0;
  readonly #mostEvents: number;

  /** @param mostEvents events kept at most; beyond it all are dropped, to be read */
  constructor(cursor: bigint, mostEvents = Infinity) {
    this.cursor = cursor;
    this.#mostEvents = mostEvents;
  }

  /** Position that the log is known to reach; null: not known yet. */
  get known(): bigint | null {
    return this.#known;
  }

  /** @returns false when that was known */
  reaches(position: bigint): boolean {
    if (this.#known !== null && position <= this.#known) return false;
    this.#known = position;
    return true;
  }

  /** Keeps a commit in order, which may be told of after a later one. */
  keep(batch: CommittedBatch): void {
    const count = batch.events.length;
    if (this.#events + count > this.#mostEvents) this.#drop();
    if (count > this.#mostEvents) return;
    const before = this.#kept.at(-1);
    // Commits of which nothing is wanted do not pile up behind a slow subscriber.
    if (count === 0 && before?.last === batch.previous) {
      this.#kept[this.#kept.length - 1] = { ...before, last: batch.last };
      return;
    }
    const after = this.#kept.findLastIndex(({ previous }) => previous < batch.previous);
    this.#kept.splice(after + 1, 0, batch);
    this.#events += count;
  }

  /** Takes the commit that was kept and follows the position; undefined when what follows must be read. */
  take(position = this.cursor): CommittedBatch | undefined {
    let [next] = this.#kept;
    while (next !== undefined && next.previous <= position) {
      this.#kept.shift();
      this.#events -= next.events.length;
      // Commits that end before were read meanwhile.
      if (next.last > position) return next;
      [next] = this.#kept;
    }
    return undefined;
  }

  /** End of what follows the cursor and was not handed over; null: there is nothing. */
  gap(): bigint | null {
    const end = this.#kept[0]?.previous ?? this.#known ?? this.cursor;
    return end > this.cursor ? end : null;
  }

  /** Gives up what was kept. @returns the position the log is known to reach */
  giveUp(): bigint {
    const last = this.#kept.at(-1)?.last ?? this.cursor;
    this.#drop();
    return this.#known !== null && this.#known > last ? this.#known : last;
  }

  #drop(): void {
    this.#kept = [];
    this.#events = 0;
  }
}

/** A log read by ranges of positions. */
export interface WindowReader {
  /** The committed events with `after < position <= upTo`, in order, of these categories (all when undefined). */
  readWindow(
    after: bigint,
    upTo: bigint,
    categories: readonly string[] | undefined,
  ): Promise<readonly LoggedEvent[]>;
}

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

/** Step that a subscription takes next. */
export type Step =
  /** Asks how far the log reaches. */
  | { readonly kind: 'lookForHead' }
  /** Delivers what was handed over to it. */
  | ({ readonly kind: 'deliver' } & LogPage)
  /** Reads a page after its cursor. */
  | { readonly kind: 'read' }
  /** Reports that it has delivered everything. */
  | { readonly kind: 'caughtUp' }
  /** Reports how far it is, having delivered nothing for a while. */
  | { readonly kind: 'report' }
  /** Waits for more; without a time, however long it takes. */
  | { readonly kind: 'rest'; readonly forMs: number | undefined };

const DEFAULT_BATCH = 1000;
/** Events kept for a slow subscriber; beyond it they are dropped and read back later. */
const MAX_WAITING = 20_000;
/** Interval of position reports while only other events arrive, ms. */
const REPORT_EVERY_MS = 10;

/**
 * State of a subscription: reads pages until it meets the commits it is offered, then delivers those; after a gap between
 * them it reads again. Does nothing itself: it is told what happened and says what to do next.
 */
export class CatchUp {
  readonly #trail: Trail;
  readonly #categories: ReadonlySet<string> | undefined;
  readonly #wantsStream: ((stream: string) => boolean) | undefined;
  readonly #maxBatch: number;
  readonly #reportEveryMs: number;
  #reported: bigint;
  #reportedAt = 0;
  #isCaughtUp = false;
  /** Set while it rests until its next report. */
  #willReport = false;

  constructor(
    options: Pick<
      SubscriptionOptions<LoggedEvent>,
      'after' | 'categories' | 'wants' | 'maxBatch' | 'reportEveryMs'
    >,
  ) {
    const { after, categories, wants, maxBatch, reportEveryMs } = options;
    this.#trail = new Trail(after ?? 0n, MAX_WAITING);
    this.#reported = this.#trail.cursor;
    this.#categories = categories === undefined ? undefined : new Set(categories);
    this.#wantsStream = wants;
    this.#maxBatch = maxBatch ?? DEFAULT_BATCH;
    this.#reportEveryMs = reportEveryMs ?? REPORT_EVERY_MS;
  }

  /** Everything up to here was delivered or filtered out. */
  get cursor(): bigint {
    return this.#trail.cursor;
  }

  /** Position that the log is known to reach. */
  get known(): bigint {
    return this.#trail.known ?? this.#trail.cursor;
  }

  /** True when `onBatch` has not been told of the cursor. */
  get hasUnreported(): boolean {
    return this.#trail.cursor > this.#reported;
  }

  /** False for a stream whose events pass the subscription by. */
  wants(stream: string): boolean {
    if (this.#categories?.has(categoryOf(stream)) === false) return false;
    return this.#wantsStream === undefined || this.#wantsStream(stream);
  }

  /** Takes a new commit, so that it need not be read back. @returns true when a rest is over */
  offered(batch: CommittedBatch): boolean {
    const { previous, last, events } = batch;
    if (this.#willReport && previous === this.cursor && !events.some(this.#takes)) {
      // No event for this subscription, and none pending before it: its report comes anyway.
      this.#trail.cursor = last;
      this.#trail.reaches(last);
      return false;
    }
    this.#trail.keep(batch);
    return this.moved(last);
  }

  /** Hears that the log has reached this position. @returns true when a rest is over */
  moved(position: bigint): boolean {
    return this.#trail.reaches(position);
  }

  /** Hears how far the log reaches. @throws LogEndsBeforeCheckpoint */
  foundHead(head: bigint): void {
    if (this.cursor > head) throw new LogEndsBeforeCheckpoint(this.cursor, head);
    this.#trail.reaches(head);
  }

  /** @param now time, ms */
  next(now: number): Step {
    this.#willReport = false;
    if (this.#trail.known === null) return { kind: 'lookForHead' };
    const live = this.#takeOffered();
    if (live !== undefined) return { kind: 'deliver', ...live };
    if (this.known > this.cursor) return { kind: 'read' };
    if (!this.#isCaughtUp) {
      this.#isCaughtUp = true;
      return { kind: 'caughtUp' };
    }
    return this.#rest(now);
  }

  /** Events of a page that are delivered. */
  wanted({ events }: LogPage): readonly LoggedEvent[] {
    return this.#wantsStream === undefined ? events : events.filter(this.#takes);
  }

  /** Batches in which events are delivered, each with its position. */
  *batches({ events, upTo }: LogPage): Generator<LogPage> {
    for (let start = 0; start < events.length; start += this.#maxBatch) {
      const batch = events.slice(start, start + this.#maxBatch);
      const isLast = start + this.#maxBatch >= events.length;
      yield { events: batch, upTo: isLast ? upTo : (batch.at(-1)?.position ?? upTo) };
    }
  }

  /** Notes that `onBatch` has returned: with events, or with a position alone. */
  delivered(position: bigint, hadEvents: boolean): void {
    this.#trail.cursor = position;
    this.#reported = position;
    if (hadEvents) this.#isCaughtUp = false;
  }

  /** Notes that there was nothing to deliver up to here. @returns true when a report is due */
  passed(position: bigint, now: number): boolean {
    this.#trail.cursor = position;
    return this.#isReportDue(now);
  }

  /** Notes the time of a report. */
  reporting(now: number): void {
    this.#reportedAt = now;
  }

  #rest(now: number): Step {
    if (!this.hasUnreported) return { kind: 'rest', forMs: undefined };
    if (this.#isReportDue(now)) return { kind: 'report' };
    this.#willReport = true;
    return { kind: 'rest', forMs: this.#reportEveryMs - (now - this.#reportedAt) };
  }

  #isReportDue(now: number): boolean {
    return this.hasUnreported && now - this.#reportedAt >= this.#reportEveryMs;
  }

  /** The events offered that directly follow the cursor; undefined when the next ones were not offered. */
  #takeOffered(): LogPage | undefined {
    let next = this.#trail.take();
    if (next === undefined) return undefined;
    const events: LoggedEvent[] = [];
    let upTo = this.cursor;
    while (next !== undefined) {
      for (const event of next.events) {
        if (event.position > upTo && this.#takes(event)) events.push(event);
      }
      upTo = next.last;
      next = events.length < this.#maxBatch ? this.#trail.take(upTo) : undefined;
    }
    return { events, upTo };
  }

  readonly #takes = (event: LoggedEvent): boolean => this.wants(event.stream);
}
