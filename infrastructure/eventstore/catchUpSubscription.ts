import type {
  LoggedEvent,
  Subscription,
  SubscriptionOptions,
} from '../../application/ports/eventLog.ts';
import { categoryOf } from '../../domain/shared/streams.ts';
import { createWake } from './wakeSignal.ts';

/** What one commit added: the events after `previous`, up to `last`, with nothing in between. */
export interface CommittedBatch {
  readonly previous: bigint;
  readonly last: bigint;
  readonly events: readonly LoggedEvent[];
}

/** Where a subscription reads what it was not handed. Positions count from 1; 0 is before the first event. */
export interface EventSource {
  /** Position of the newest committed event; 0 when there is none. */
  head(): Promise<bigint>;
  /** The committed events with `after < position <= upTo`, in order, of these categories (all when undefined). */
  readWindow(
    after: bigint,
    upTo: bigint,
    categories: readonly string[] | undefined,
  ): Promise<readonly LoggedEvent[]>;
}

export interface CatchUpHooks {
  /** A read failed and will be repeated. */
  readonly onRetry?: (cause: unknown) => void;
  /** The subscription is over, for whichever reason. */
  readonly onEnd?: () => void;
}

export interface CatchUpSubscription extends Subscription {
  /** Hands over what was just committed, so that it need not be read back. */
  offer(batch: CommittedBatch): void;
  /** Says that the log has reached this position. */
  moved(position: bigint): void;
}

const DEFAULT_BATCH = 1000;
/** Positions per read; filtered reads may look further, since fewer events come back. */
const WINDOW = 4000n;
const FILTERED_WINDOW = 20_000n;
/** Windows requested beyond the one being delivered: the database reads them side by side. */
const READ_AHEAD = 2;
/** Events waiting for a slow subscriber before they are let go and read back later. */
const MAX_WAITING = 20_000;
/** How often a position is reported that only events of others have moved. */
const EMPTY_CHECKPOINT_EVERY_MS = 10;
const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 2000;

/**
 * Delivers a log in order, without gap or duplicate: reads windows of positions until it meets the batches offered
 * by the committer, then lives on those; whenever they do not join up it reads again.
 */
export function createCatchUpSubscription(
  source: EventSource,
  options: SubscriptionOptions<LoggedEvent>,
  hooks: CatchUpHooks = {},
): CatchUpSubscription {
  const { categories, onBatch, onCaughtUp, onStopped } = options;
  const maxBatch = options.maxBatch ?? DEFAULT_BATCH;
  const window = categories === undefined ? WINDOW : FILTERED_WINDOW;
  const wanted = categories === undefined ? undefined : new Set(categories);
  const wake = createWake();

  let running = true;
  let cursor = options.after ?? 0n;
  let reported = cursor;
  let known: bigint | null = null;
  let offered: CommittedBatch[] = [];
  let waiting = 0;
  let lastEmptyReport = 0;
  /** Whether it sleeps with a time set to report the cursor. */
  let willReport = false;
  let ahead: { after: bigint; upTo: bigint; page: Promise<readonly LoggedEvent[]> }[] = [];

  function offer(batch: CommittedBatch): void {
    if (willReport && batch.previous === cursor && !batch.events.some(isWanted)) {
      // Nothing for this subscription, and nothing before it: not worth waking for.
      cursor = batch.last;
      if (known === null || known < cursor) known = cursor;
      return;
    }
    const newest = offered.at(-1);
    const joins = newest === undefined || newest.last === batch.previous;
    if (!joins || waiting + batch.events.length > MAX_WAITING) {
      offered = [];
      waiting = 0;
    }
    if (batch.events.length <= MAX_WAITING) {
      offered.push(batch);
      waiting += batch.events.length;
    }
    moved(batch.last);
  }

  function moved(position: bigint): void {
    if (known !== null && position <= known) return;
    known = position;
    wake.raise();
  }

  /** The offered events that follow the cursor directly; `undefined` when the next ones were not offered. */
  function takeOffered(): { events: LoggedEvent[]; upTo: bigint } | undefined {
    while ((offered[0]?.last ?? cursor + 1n) <= cursor) drop();
    let next = offered[0];
    if (next === undefined || next.previous > cursor) return undefined;
    const events: LoggedEvent[] = [];
    let upTo = cursor;
    while (next !== undefined && events.length < maxBatch) {
      for (const event of next.events) {
        if (event.position > cursor && isWanted(event)) events.push(event);
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

  function isWanted(event: LoggedEvent): boolean {
    return wanted === undefined || wanted.has(categoryOf(event.stream));
  }

  /** The next window; those after it are requested at once, so that reading and delivering overlap. */
  async function readNext(head: bigint): Promise<{ events: readonly LoggedEvent[]; upTo: bigint }> {
    if (ahead[0]?.after !== cursor) ahead = [];
    const current = ahead.shift() ?? request(cursor, head);
    for (let last = ahead.at(-1) ?? current; ahead.length < READ_AHEAD && last.upTo < head;) {
      last = request(last.upTo, head);
      ahead.push(last);
    }
    return { events: await current.page, upTo: current.upTo };
  }

  function request(after: bigint, head: bigint) {
    const upTo = after + window < head ? after + window : head;
    const page = source.readWindow(after, upTo, categories);
    // Its failure is met when the page is awaited, which may be later or never.
    page.catch(() => undefined);
    return { after, upTo, page };
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
      if (Date.now() - lastEmptyReport >= EMPTY_CHECKPOINT_EVERY_MS) await reportCursor();
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

  /** One turn: deliver what is there, if anything. */
  async function advance(): Promise<'events' | 'noneOfOurs' | 'nothing'> {
    known ??= await source.head();
    const live = takeOffered();
    if (live !== undefined) {
      await deliver(live.events, live.upTo);
      return live.events.length > 0 ? 'events' : 'noneOfOurs';
    }
    if (known <= cursor) return 'nothing';
    const page = await readNext(known);
    await deliver(page.events, page.upTo);
    return page.events.length > 0 ? 'events' : 'noneOfOurs';
  }

  async function rest(): Promise<void> {
    const sinceReport = Date.now() - lastEmptyReport;
    if (cursor > reported && sinceReport >= EMPTY_CHECKPOINT_EVERY_MS) await reportCursor();
    const left = cursor > reported ? EMPTY_CHECKPOINT_EVERY_MS - sinceReport : undefined;
    willReport = left !== undefined;
    await wake.wait(left);
    willReport = false;
  }

  async function run(): Promise<void> {
    let retryMs = RETRY_FIRST_MS;
    let isCaughtUp = false;
    while (running) {
      try {
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
        retryMs = RETRY_FIRST_MS;
      } catch (cause) {
        if (cause instanceof HandlerFailed) {
          running = false;
          onStopped?.(cause.cause);
          return;
        }
        ahead = [];
        hooks.onRetry?.(cause);
        await wake.wait(retryMs);
        retryMs = Math.min(retryMs * 2, RETRY_MOST_MS);
      }
    }
  }

  const ended = Promise.resolve()
    .then(run)
    .finally(() => hooks.onEnd?.());

  return {
    offer,
    moved,
    stop: async () => {
      running = false;
      wake.raise();
      await ended;
    },
  };
}

class HandlerFailed extends Error {
  constructor(cause: unknown) {
    super('onBatch failed', { cause });
  }
}
