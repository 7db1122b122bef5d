import type {
  LoggedEvent,
  Subscription,
  SubscriptionOptions,
} from '../../application/ports/eventLog.ts';
import { CatchUp, type CommittedBatch, LogEndsBeforeCheckpoint, type LogPage } from './catchUp.ts';

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

const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 2000;

/** Delivers a log in order, without gap or duplicate: does what {@link CatchUp} says. */
export function createCatchUpSubscription(
  source: EventSource,
  options: SubscriptionOptions<LoggedEvent>,
  hooks: CatchUpHooks = {},
): CatchUpSubscription {
  const { onBatch, onCaughtUp, onStopped } = options;
  const state = new CatchUp(options);
  const pages = createPages(source, state, options.categories);
  const signal = createSignal();
  let running = true;
  let failure: { readonly cause: unknown } | undefined;

  async function turn(): Promise<void> {
    const step = state.next(Date.now());
    switch (step.kind) {
      case 'lookForHead':
        state.foundHead(await source.head());
        return;
      case 'deliver':
        return deliver(step);
      case 'read': {
        const page = await pages.next();
        return page === null ? undefined : deliver({ events: state.wanted(page), upTo: page.upTo });
      }
      case 'caughtUp':
        await pages.end();
        await report();
        onCaughtUp?.();
        return;
      case 'report':
        return report();
      case 'rest':
        await pages.end();
        return signal.wait(step.forMs);
    }
  }

  async function deliver(page: LogPage): Promise<void> {
    if (page.events.length === 0) {
      if (state.passed(page.upTo, Date.now())) await report();
      return;
    }
    for (const { events, upTo } of state.batches(page)) {
      if (!running) return;
      await handle(events, upTo);
    }
  }

  async function report(): Promise<void> {
    if (!state.hasUnreported || !running) return;
    state.reporting(Date.now());
    await handle([], state.cursor);
  }

  async function handle(events: readonly LoggedEvent[], position: bigint): Promise<void> {
    try {
      await onBatch(events, position);
    } catch (cause) {
      throw new HandlerFailed(cause);
    }
    state.delivered(position, events.length > 0);
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
        pages.forget();
        hooks.onRetry?.(cause);
        await signal.wait(retryMs);
        retryMs = Math.min(retryMs * 2, RETRY_MOST_MS);
      }
    }
    if (failure !== undefined) onStopped?.(failure.cause);
  }

  function stop(): void {
    running = false;
    signal.raise();
  }

  const ended = Promise.resolve()
    .then(run)
    .finally(() => {
      hooks.onEnd?.();
      return pages.end();
    });

  return {
    offer: (batch) => {
      if (state.offered(batch)) signal.raise();
    },
    wants: (stream) => state.wants(stream),
    moved: (position) => {
      if (state.moved(position)) signal.raise();
    },
    fail: (cause) => {
      failure = { cause };
      stop();
    },
    stop: async () => {
      stop();
      await ended;
    },
  };
}

/** Pages of the log after the cursor, read on while nothing else moved it. */
function createPages(
  source: EventSource,
  state: Pick<CatchUp, 'cursor' | 'known'>,
  categories: readonly string[] | undefined,
) {
  let reading: { readonly pages: AsyncGenerator<LogPage, void>; at: bigint } | null = null;

  async function end(): Promise<void> {
    const ended = reading;
    reading = null;
    await ended?.pages.return(undefined);
  }

  return {
    /** The next page; null at the end of the pages being read. */
    async next(): Promise<LogPage | null> {
      if (reading?.at !== state.cursor) await end();
      reading ??= {
        pages: source.readFrom(state.cursor, () => state.known, categories),
        at: state.cursor,
      };
      const next = await reading.pages.next();
      if (next.done === true) {
        reading = null;
        return null;
      }
      reading.at = next.value.upTo;
      return next.value;
    },
    end,
    /** Drops pages whose read failed. */
    forget(): void {
      reading = null;
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

/** A latch with one waiter and any number of signallers. A signal without a waiter is stored for the next wait. */
export interface Signal {
  raise(): void;
  /** Resolves on the next signal, at once if one is stored, or after `timeoutMs`. */
  wait(timeoutMs?: number): Promise<void>;
}

/** Creates the signal. Its timers do not keep the process alive. */
export function createSignal(): Signal {
  let raised = false;
  let sleeper: (() => void) | undefined;

  return {
    raise() {
      raised = true;
      sleeper?.();
    },
    wait(timeoutMs) {
      return new Promise((resolve) => {
        let timer: NodeJS.Timeout | undefined;
        const done = () => {
          clearTimeout(timer);
          sleeper = undefined;
          raised = false;
          resolve();
        };
        if (raised) {
          done();
          return;
        }
        if (timeoutMs !== undefined) timer = setTimeout(done, Math.max(timeoutMs, 0)).unref();
        sleeper = done;
      });
    },
  };
}
