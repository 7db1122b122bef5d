import type {
  LoggedEvent,
  Subscription,
  SubscriptionOptions,
} from '../../application/ports/eventLog.ts';
import { categoryOf } from '../../domain/shared/streams.ts';
import { createSignal } from './signal.ts';

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

/** Source of events that were not offered. Positions are above 0; 0 is before the first event. */
export interface EventSource {
  /** Upper bound of the positions of all events committed by now; 0 when the log is empty. */
  head(): Promise<bigint>;
  /**
   * Pages of the committed events after `after` in these categories (all when undefined), at least up to the head
   * reported in `upTo`.
   */
  readFrom(
    after: bigint,
    upTo: () => bigint,
    categories: readonly string[] | undefined,
  ): AsyncGenerator<LogPage, void>;
}

/** The checkpoint is after the end of the log: events are missing, or it is another log. */
class LogEndsBeforeCheckpoint extends Error {
  override readonly name = 'LogEndsBeforeCheckpoint';

  constructor(checkpoint: bigint, head: bigint) {
    super(
      `The event log ends at position ${head}, before the checkpoint ${checkpoint}: it is another log, or older than what was ` +
        'read from it. Restore the newer log, or rebuild the read models (docs/operations.md, Restore).',
    );
  }
}

export interface CatchUpHooks {
  /** Called when a read failed; it is retried. */
  readonly onRetry?: (cause: unknown) => void;
  /** Called when the subscription ended, for any reason. */
  readonly onEnd?: () => void;
}

export interface CatchUpSubscription extends Subscription {
  /** Hands over a new commit, so that it need not be read back. */
  offer(batch: CommittedBatch): void;
  /** False for a stream whose events pass it by. */
  wants(stream: string): boolean;
  /** Announces that the log has reached this position. */
  moved(position: bigint): void;
  /** Ends the subscription, which reports `cause` once no batch is in progress. */
  fail(cause: unknown): void;
}

const DEFAULT_BATCH = 1000;
/** Events buffered for a slow subscriber; beyond it they are dropped and read back later. */
const MAX_WAITING = 20_000;
/** Interval of position reports while only other events arrive, ms. */
const REPORT_EVERY_MS = 10;
const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 2000;

/**
 * Delivers a log in order, without gap or duplicate: reads pages until it meets the batches offered by the committer,
 * then uses those; after a gap between batches it reads again.
 */
export function createCatchUpSubscription(
  source: EventSource,
  options: SubscriptionOptions<LoggedEvent>,
  hooks: CatchUpHooks = {},
): CatchUpSubscription {
  const { categories, onBatch, onCaughtUp, onStopped } = options;
  const { maxBatch = DEFAULT_BATCH, reportEveryMs = REPORT_EVERY_MS } = options;
  const wanted = categories === undefined ? undefined : new Set(categories);
  const signal = createSignal();

  let running = true;
  let failure: { readonly cause: unknown } | undefined;
  let cursor = options.after ?? 0n;
  let reported = cursor;
  let known: bigint | null = null;
  let offered: CommittedBatch[] = [];
  let waiting = 0;
  let lastEmptyReport = 0;
  let isCaughtUp = false;
  /** Set while sleeping with a timer to report the cursor. */
  let willReport = false;
  /** Pages being read, and the position the last one ended at. */
  let reading: { readonly pages: AsyncGenerator<LogPage, void>; at: bigint } | null = null;

  function offer(batch: CommittedBatch): void {
    if (willReport && batch.previous === cursor && !batch.events.some(takes)) {
      // No event for this subscription, and none pending before it: no signal.
      cursor = batch.last;
      if (known === null || known < cursor) known = cursor;
      return;
    }
    keep(batch);
    moved(batch.last);
  }

  /** Buffers an offered batch unless it leaves a gap or exceeds the limit. */
  function keep(batch: CommittedBatch): void {
    const newest = offered.at(-1);
    const joins = newest === undefined || newest.last === batch.previous;
    if (!joins || waiting + batch.events.length > MAX_WAITING) {
      offered = [];
      waiting = 0;
    } else if (newest !== undefined && batch.events.length === 0) {
      // Batches without events for this subscription are merged, so that they do not pile up behind a slow subscriber.
      offered[offered.length - 1] = { ...newest, last: batch.last };
      return;
    }
    if (batch.events.length > MAX_WAITING) return;
    offered.push(batch);
    waiting += batch.events.length;
  }

  function moved(position: bigint): void {
    if (known !== null && position <= known) return;
    known = position;
    signal.raise();
  }

  /** The buffered events that directly follow the cursor; `undefined` when the next ones were not offered. */
  function takeOffered(): { events: LoggedEvent[]; upTo: bigint } | undefined {
    while ((offered[0]?.last ?? cursor + 1n) <= cursor) drop();
    let next = offered[0];
    if (next === undefined || next.previous > cursor) return undefined;
    const events: LoggedEvent[] = [];
    let upTo = cursor;
    while (next !== undefined && events.length < maxBatch) {
      for (const event of next.events) {
        if (event.position > cursor && takes(event)) events.push(event);
      }
      upTo = next.last;
      drop();
      next = offered[0];
    }
    return { events, upTo };
  }

  function drop(): void {
    waiting -= offered[0]?.events.length ?? 0;
    offered.shift();
  }

  function takes(event: LoggedEvent): boolean {
    return wants(event.stream);
  }

  function wants(stream: string): boolean {
    if (wanted !== undefined && !wanted.has(categoryOf(stream))) return false;
    return options.wants === undefined || options.wants(stream);
  }

  /** The next page; `null` at the end of the pages being read. */
  async function readNext(): Promise<LogPage | null> {
    if (reading?.at !== cursor) await endReading();
    reading ??= {
      pages: source.readFrom(cursor, () => known ?? cursor, categories),
      at: cursor,
    };
    const next = await reading.pages.next();
    if (next.done === true) {
      reading = null;
      return null;
    }
    reading.at = next.value.upTo;
    return next.value;
  }

  async function endReading(): Promise<void> {
    const ended = reading;
    reading = null;
    await ended?.pages.return(undefined);
  }

  async function deliver(events: readonly LoggedEvent[], upTo: bigint): Promise<void> {
    for (let start = 0; start < events.length && running; start += maxBatch) {
      const chunk = events.slice(start, start + maxBatch);
      const isLast = start + maxBatch >= events.length;
      const position = isLast ? upTo : (chunk.at(-1)?.position ?? upTo);
      await handle(chunk, position);
    }
    if (events.length === 0) {
      cursor = upTo;
      if (Date.now() - lastEmptyReport >= reportEveryMs) await reportCursor();
    }
  }

  async function reportCursor(): Promise<void> {
    if (cursor <= reported || !running) return;
    lastEmptyReport = Date.now();
    await handle([], cursor);
  }

  async function handle(events: readonly LoggedEvent[], position: bigint): Promise<void> {
    try {
      await onBatch(events, position);
    } catch (cause) {
      throw new HandlerFailed(cause);
    }
    cursor = position;
    reported = position;
  }

  async function lookForHead(): Promise<void> {
    const head = await source.head();
    if (cursor > head) throw new LogEndsBeforeCheckpoint(cursor, head);
    if (known === null || known < head) known = head;
  }

  /** One iteration: delivers the available events, if any. */
  async function advance(): Promise<'events' | 'noneOfOurs' | 'nothing'> {
    if (known === null) await lookForHead();
    const live = takeOffered();
    if (live !== undefined) {
      await deliver(live.events, live.upTo);
      return live.events.length > 0 ? 'events' : 'noneOfOurs';
    }
    if ((known ?? cursor) <= cursor) {
      await endReading();
      return 'nothing';
    }
    const page = await readNext();
    if (page === null) return 'noneOfOurs';
    const events = options.wants === undefined ? page.events : page.events.filter(takes);
    await deliver(events, page.upTo);
    return events.length > 0 ? 'events' : 'noneOfOurs';
  }

  async function rest(): Promise<void> {
    const sinceReport = Date.now() - lastEmptyReport;
    if (cursor > reported && sinceReport >= reportEveryMs) await reportCursor();
    const left = cursor > reported ? reportEveryMs - sinceReport : undefined;
    willReport = left !== undefined;
    await signal.wait(left);
    willReport = false;
  }

  /** Advances; without events it reports the cursor once and sleeps. */
  async function turn(): Promise<void> {
    const found = await advance();
    if (found === 'events') {
      isCaughtUp = false;
    } else if (found === 'nothing' && isCaughtUp) {
      await rest();
    } else if (found === 'nothing') {
      isCaughtUp = true;
      await reportCursor();
      onCaughtUp?.();
    }
  }

  async function run(): Promise<void> {
    let retryMs = RETRY_FIRST_MS;
    while (running) {
      try {
        await turn();
        retryMs = RETRY_FIRST_MS;
      } catch (cause) {
        if (failure !== undefined) break;
        if (cause instanceof HandlerFailed || cause instanceof LogEndsBeforeCheckpoint) {
          running = false;
          onStopped?.(cause instanceof HandlerFailed ? cause.cause : cause);
          return;
        }
        reading = null;
        hooks.onRetry?.(cause);
        await signal.wait(retryMs);
        retryMs = Math.min(retryMs * 2, RETRY_MOST_MS);
      }
    }
    if (failure !== undefined) onStopped?.(failure.cause);
  }

  const ended = Promise.resolve()
    .then(run)
    .finally(() => {
      hooks.onEnd?.();
      return endReading();
    });

  return {
    offer,
    wants,
    moved,
    fail: (cause) => {
      failure = { cause };
      running = false;
      signal.raise();
    },
    stop: async () => {
      running = false;
      signal.raise();
      await ended;
    },
  };
}

/** True when one of the subscriptions takes the stream's events. */
export function isWanted(subscriptions: Iterable<CatchUpSubscription>, stream: string): boolean {
  for (const subscription of subscriptions) if (subscription.wants(stream)) return true;
  return false;
}

class HandlerFailed extends Error {
  constructor(cause: unknown) {
    super('onBatch failed', { cause });
  }
}
