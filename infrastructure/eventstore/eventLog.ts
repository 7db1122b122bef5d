import { type ArchivedEvents, archivedCategory } from '../../application/archive/ports/archive.ts';
import type {
  EventLog,
  LoggedEvent,
  Subscription,
  SubscriptionOptions,
} from '../../application/ports/eventLog.ts';
import type { EventStore, RecordedEvent } from '../../application/ports/eventStore.ts';
import { categoryOf } from '../../domain/shared/streams.ts';
import { createMerging, type Merging } from '../archive/merging.ts';
import { createCodec } from '../codec/codec.ts';
import type { EncodingOptions } from '../codec/eventEncoding.ts';
import type { LogDisturbances } from '../telemetry/logDisturbances.ts';
import type { Metrics } from '../telemetry/metrics.ts';

/** Measurement of the store as the log meets it. */
export type LogMeter = Pick<LogDisturbances, 'noting'> & Pick<Metrics, 'appended'>;

/** Parts of the log, and options of its codec. */
export interface EventLogParts extends EncodingOptions {
  /** Keeps the encoded events: PostgreSQL, EventStoreDB, or an exported log. */
  readonly store: EventLog;
  /** Has the events that left the store; default: there is none. */
  readonly archive?: ArchivedEvents;
  /** Default: nothing is measured. */
  readonly meter?: LogMeter;
}

/** Events as they are stored, archived ones among them: for exports, proofs and copies, which must not decode them. */
export type EncodedEvents = Pick<EventLog, 'read' | 'subscribe' | 'head'>;

/** The log of the platform. */
export interface PlatformLog extends EventStore {
  readonly encoded: EncodedEvents;
}

const unmeasured: LogMeter = { noting: (call) => call(), appended: () => undefined };

/**
 * The log of the platform, over a store that knows encoded events alone. An append is encoded, stored and measured; what
 * is read comes from the store, then from the archive, and is decoded.
 *
 * While the keys are unavailable a subscription waits and retries, as during an outage of the store; a read fails at
 * once.
 */
export function createEventLog(parts: EventLogParts): PlatformLog {
  const { store, archive, meter = unmeasured } = parts;
  const codec = createCodec(parts);

  const head = () => meter.noting(() => store.head());

  async function* readEncoded(stream: string, from = 0n): AsyncGenerator<LoggedEvent> {
    let isStored = false;
    for await (const event of store.read(stream, from)) {
      isStored = true;
      yield event;
    }
    if (archive === undefined || isStored || categoryOf(stream) !== archivedCategory) return;
    for (const event of await archive.ofStream(stream)) if (event.revision >= from) yield event;
  }

  /**
   * Live subscribers never touch the archive: only events that all followers of the log have passed are archived.
   */
  function subscribeEncoded(options: SubscriptionOptions<LoggedEvent>): Subscription {
    const { categories } = options;
    if (archive === undefined || categories?.includes(archivedCategory) === false) {
      return store.subscribe(options);
    }
    let merging: Merging | null = createMerging(archive, options);
    const end = () => {
      merging?.end();
      merging = null;
    };
    const subscription = store.subscribe({
      ...options,
      onBatch: (events, position) => (merging ?? options).onBatch(events, position),
      onCaughtUp: () => {
        end();
        options.onCaughtUp?.();
      },
    });
    return {
      stop: () => {
        end();
        return subscription.stop();
      },
    };
  }

  return {
    async append(stream, events, expected) {
      const encoded = await codec.encode(events);
      const started = performance.now();
      const appended = await meter.noting(() => store.append(stream, encoded, expected));
      meter.appended(encoded.length, (performance.now() - started) / 1000);
      return appended;
    },
    async *read(stream, from) {
      for await (const logged of readEncoded(stream, from)) yield await codec.decode(logged);
    },
    subscribe({ onBatch, ...options }) {
      const decode = codec.batches(options);
      const stopping = new AbortController();
      const subscription = subscribeEncoded({
        ...options,
        onBatch: async (events, position) => {
          if (events.length === 0) return onBatch([], position);
          let batch: readonly RecordedEvent[];
          try {
            batch = await decode(events, stopping.signal);
          } catch (error) {
            if (stopping.signal.aborted) return;
            throw error;
          }
          await onBatch(batch, position);
        },
      });
      return {
        stop: () => {
          stopping.abort();
          return subscription.stop();
        },
      };
    },
    head,
    encoded: { read: readEncoded, subscribe: subscribeEncoded, head },
  };
}
