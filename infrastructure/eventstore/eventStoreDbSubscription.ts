import {
  type AllStreamResolvedEvent,
  type AllStreamSubscription,
  type EventStoreDBClient,
  START,
  streamNameFilter,
} from '@eventstore/db-client';
import type {
  LoggedEvent,
  Subscription,
  SubscriptionOptions,
} from '../../application/ports/eventLog.ts';
import { toLoggedEvent } from './eventStoreDbCodec.ts';
import { createWake } from './wakeSignal.ts';

export interface EventStoreDbSubscriptionHooks {
  /** The subscription broke and will be renewed from the last delivered position. */
  readonly onRetry?: (cause: unknown) => void;
  readonly onEnd?: () => void;
}

const DEFAULT_BATCH = 1000;
/** Events the server looks through between two checkpoints when the filter passes none. */
const CHECKPOINT_WINDOW = 32;
const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 5000;

/**
 * A catch-up subscription to $all without the server's own streams. Events are pulled, never pushed: while `onBatch` works
 * nothing is taken from the stream, its buffer fills and the server waits.
 */
export function subscribeToEventStoreDb(
  client: EventStoreDBClient,
  options: SubscriptionOptions<LoggedEvent>,
  hooks: EventStoreDbSubscriptionHooks = {},
): Subscription {
  const { onBatch, onCaughtUp, onStopped, maxBatch = DEFAULT_BATCH } = options;
  const wake = createWake();
  let running = true;
  let cursor = options.after;

  const isWanted = categoryFilter(options.categories);
  const isPast = (position: bigint) => cursor !== null && position <= cursor;

  async function handle(events: readonly LoggedEvent[], position: bigint): Promise<void> {
    try {
      await onBatch(events, position);
    } catch (cause) {
      throw new HandlerFailed(cause);
    }
    cursor = position;
  }

  /** Lives on one subscription until it breaks; rejects with the reason. */
  async function follow(): Promise<void> {
    const from = await headOf(client);
    const failures: unknown[] = [];
    const state = { isLive: false };
    let checkpoint = cursor;
    let isReported = false;
    const source = open((position) => {
      checkpoint = position;
      wake.raise();
    });
    const breakWith = (cause: unknown) => {
      failures.push(cause);
      wake.raise();
    };
    source.on('readable', wake.raise);
    source.on('error', breakWith);
    source.on('end', () => breakWith(new Error('The server ended the subscription.')));
    source.on('caughtUp', () => {
      state.isLive = true;
      // Everything up to the head read before subscribing was delivered or filtered out.
      if (from !== null && (checkpoint === null || from > checkpoint)) checkpoint = from;
      wake.raise();
    });
    source.on('fellBehind', () => {
      state.isLive = false;
    });
    try {
      while (running) {
        const { events, position } = take(source);
        if (position !== null) {
          isReported = false;
          await handle(events, position);
        } else if (checkpoint !== null && !isPast(checkpoint)) {
          await handle([], checkpoint);
        } else if (failures.length > 0) {
          throw new Broken(failures[0]);
        } else if (state.isLive && !isReported) {
          isReported = true;
          onCaughtUp?.();
        } else {
          await wake.wait();
        }
      }
    } finally {
      await source.unsubscribe().catch(() => undefined);
      source.destroy();
    }
  }

  function open(checkpointReached: (position: bigint) => void): AllStreamSubscription {
    return client.subscribeToAll({
      fromPosition: cursor === null ? START : { commit: cursor, prepare: cursor },
      filter: streamNameFilter({
        regex: '^[^$]',
        maxSearchWindow: CHECKPOINT_WINDOW,
        checkpointReached: (_subscription, position) => checkpointReached(position.commit),
      }),
    });
  }

  /** What has arrived, at most one batch of it, and up to where that is; `null`: nothing new. */
  function take(source: AllStreamSubscription): {
    readonly events: readonly LoggedEvent[];
    readonly position: bigint | null;
  } {
    const events: LoggedEvent[] = [];
    let position: bigint | null = null;
    for (let taken = 0; taken < maxBatch; taken += 1) {
      const resolved = source.read() as AllStreamResolvedEvent | null;
      if (resolved === null) break;
      const event = toLoggedEvent(resolved);
      if (event === null || isPast(event.position)) continue;
      position = event.position;
      if (isWanted(event.stream)) events.push(event);
    }
    return { events, position };
  }

  async function run(): Promise<void> {
    let retryMs = RETRY_FIRST_MS;
    while (running) {
      const before = cursor;
      try {
        await follow();
      } catch (error) {
        if (error instanceof HandlerFailed) {
          running = false;
          onStopped?.(error.cause);
          return;
        }
        hooks.onRetry?.(error instanceof Broken ? error.cause : error);
        if (cursor !== before) retryMs = RETRY_FIRST_MS;
        await wake.wait(retryMs);
        retryMs = Math.min(retryMs * 2, RETRY_MOST_MS);
      }
    }
  }

  const ended = Promise.resolve()
    .then(run)
    .finally(() => hooks.onEnd?.());

  return {
    stop: async () => {
      running = false;
      wake.raise();
      await ended;
    },
  };
}

/** Position of the newest event that is not the server's own; `null` when there is none. */
export async function headOf(client: EventStoreDBClient): Promise<bigint | null> {
  const events = client.readAll({ direction: 'backwards', fromPosition: 'end' });
  try {
    for await (const { event } of events) {
      if (event !== undefined && !event.streamId.startsWith('$')) return event.position.commit;
    }
    return null;
  } finally {
    await events.cancel().catch(() => undefined);
  }
}

/**
 * Streams of the categories; without categories all. Decided here and not by the server: it would tell only every so
 * many events how far it has looked, and whoever waits for a position would wait for events that may not come.
 */
function categoryFilter(categories: readonly string[] | undefined): (stream: string) => boolean {
  if (categories === undefined) return () => true;
  const wanted = new Set(categories);
  return (stream) => wanted.has(stream.split('-', 1)[0] ?? '');
}

class HandlerFailed extends Error {
  constructor(cause: unknown) {
    super('onBatch failed', { cause });
  }
}

class Broken extends Error {
  constructor(cause: unknown) {
    super('subscription broke', { cause });
  }
}
