import { EventStoreDBClient, START } from '@eventstore/db-client';
import type {
  Appended,
  EncodedEvent,
  EventLog,
  ExpectedRevision,
  LoggedEvent,
  Subscription,
} from '../../application/ports/eventLog.ts';
import { Overloaded, Unavailable } from '../../application/ports/faults.ts';
import { assertAppendable } from './assertAppendable.ts';
import {
  appendFailure,
  isStreamNotFound,
  toEventData,
  toExpectedRevision,
  toLoggedEvent,
} from './eventStoreDbCodec.ts';
import { headOf, subscribeToEventStoreDb } from './eventStoreDbSubscription.ts';

export interface EventStoreDbEventLogOptions {
  /** `esdb://…` or `esdb+discover://…`, with credentials and `tls` as the client documents them. */
  readonly url: string;
  /** Appends waiting at most; beyond it `Overloaded`. Default 10,000. */
  readonly queueLimit?: number;
  /** An append or check not answered by then counts as an outage. Default 5,000 ms. */
  readonly timeoutMs?: number;
  /** Hears of broken subscriptions; they are renewed. */
  readonly onError?: (cause: unknown) => void;
}

export interface EventStoreDbEventLog extends EventLog {
  /** @throws Unavailable when the server does not answer now; later outages are ridden out */
  start(): Promise<void>;
  /** Answers what was accepted, ends the subscriptions, closes the connection. */
  stop(): Promise<void>;
  /** @throws Unavailable when the server does not answer */
  check(): Promise<void>;
}

/**
 * Appends sent and not answered. The client writes them to one gRPC stream that buffers 16 messages; past that it
 * queues inside, and what is queued there when the connection breaks ends as an unhandled rejection.
 */
const MAX_IN_FLIGHT = 15;
/** How long the client may take to end its streams, ms. */
const DISPOSE_MS = 500;

interface QueuedAppend {
  readonly send: () => Promise<Appended>;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
}

/** The event log on EventStoreDB: positions are commit positions of $all. */
export function createEventStoreDbEventLog(
  options: EventStoreDbEventLogOptions,
): EventStoreDbEventLog {
  const { queueLimit = 10_000, timeoutMs = 5000, onError } = options;
  const client = EventStoreDBClient.connectionString(options.url);
  const subscriptions = new Set<Subscription>();
  const queue: QueuedAppend[] = [];
  let inFlight = 0;
  let drained: (() => void) | undefined;
  let closed = false;

  function pump(): void {
    while (inFlight < MAX_IN_FLIGHT) {
      const next = queue.shift();
      if (next === undefined) break;
      inFlight += 1;
      void next
        .send()
        .then(next.resolve, next.reject)
        .finally(() => {
          inFlight -= 1;
          pump();
        });
    }
    if (inFlight === 0 && queue.length === 0) drained?.();
  }

  async function send(
    stream: string,
    events: readonly EncodedEvent[],
    expected: ExpectedRevision,
  ): Promise<Appended> {
    try {
      const result = await within(
        timeoutMs,
        client.appendToStream(stream, events.map(toEventData), {
          expectedRevision: toExpectedRevision(expected),
        }),
      );
      if (result.position === undefined) throw new Error('The server told no position.');
      return { revision: result.nextExpectedRevision, position: result.position.commit };
    } catch (error) {
      throw appendFailure(stream, error);
    }
  }

  async function head(): Promise<bigint | null> {
    try {
      return await within(timeoutMs, headOf(client));
    } catch (error) {
      throw new Unavailable('eventStore', error);
    }
  }

  return {
    async append(stream, events, expected) {
      assertAppendable(stream, events);
      if (closed) throw new Unavailable('eventStore');
      if (queue.length + inFlight >= queueLimit) throw new Overloaded('appends');
      return new Promise((resolve, reject) => {
        queue.push({ send: () => send(stream, events, expected), resolve, reject });
        pump();
      });
    },
    async *read(stream, from): AsyncGenerator<LoggedEvent> {
      const events = client.readStream(stream, { fromRevision: from ?? START });
      try {
        for await (const resolved of events) {
          const event = toLoggedEvent(resolved);
          if (event !== null) yield event;
        }
      } catch (error) {
        if (isStreamNotFound(error)) return;
        throw new Unavailable('eventStore', error);
      } finally {
        await events.cancel().catch(() => undefined);
      }
    },
    subscribe(subscribeOptions) {
      const subscription = subscribeToEventStoreDb(client, subscribeOptions, {
        onEnd: () => subscriptions.delete(subscription),
        ...(onError && { onRetry: onError }),
      });
      subscriptions.add(subscription);
      return subscription;
    },
    head,
    async start() {
      await head();
    },
    async stop() {
      closed = true;
      await new Promise<void>((resolve) => {
        drained = resolve;
        pump();
      });
      await Promise.all([...subscriptions].map((subscription) => subscription.stop()));
      // The client waits for the end of streams it cancelled, which some never tell.
      await within(DISPOSE_MS, client.dispose()).catch(() => undefined);
    },
    async check() {
      await head();
    },
  };
}

/** The promise, or a failure when it takes longer than that. */
async function within<Result>(timeoutMs: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`No answer within ${timeoutMs} ms.`)), timeoutMs);
    timer.unref();
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
