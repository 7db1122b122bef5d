import { archivedCategory, type ArchivedEvents } from '../../application/archive/ports/archive.ts';
import type {
  EncodedEvent,
  EventLog,
  LoggedEvent,
  Subscription,
  SubscriptionOptions,
} from '../../application/ports/eventLog.ts';
import type {
  EventMetadata,
  EventStore,
  EventSubscriptionOptions,
  NewEvent,
  RecordedEvent,
} from '../../application/ports/eventStore.ts';
import { categoryOf } from '../../domain/shared/streams.ts';
import { createMerging, type Merging } from '../archive/merging.ts';
import {
  createEventEncoding,
  type EncodingOptions,
  metadataOrNone,
} from '../codec/eventEncoding.ts';
import type { LogDisturbances } from '../telemetry/logDisturbances.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { setTimeout as delay } from 'node:timers/promises';
import { Unavailable, UndecodableEvent } from '../../application/ports/faults.ts';
import {
  type PersonalDataVault,
  SubjectForgotten,
} from '../../application/ports/personalDataVault.ts';
import { eventTypes } from '../../domain/events.ts';

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

const CIVIL_ID = /^\d{12}$/;

/**
 * Encrypts the IP address in an event's metadata: under the key of the operator or citizen who acted, or of the owner of
 * the phone that did. Addresses of relying parties' servers, and of unknown people, are encrypted under the platform key.
 * The address of a forgotten person is dropped.
 */
function withEncryptedAddress(
  vault: Pick<PersonalDataVault, 'encryptAddress'>,
  event: NewEvent,
): NewEvent | Promise<NewEvent> {
  const { ip } = event.metadata;
  if (ip === null) return event;
  const kept = (encrypted: string | null) => ({
    ...event,
    metadata: { ...event.metadata, ip: encrypted },
  });
  return vault.encryptAddress(ownerOf(event), ip).then(kept, (error: unknown) => {
    if (error instanceof SubjectForgotten) return kept(null);
    throw error;
  });
}

function ownerOf({ event: { type, data }, metadata: { actor } }: NewEvent): string | null {
  if (actor.kind === 'operator') return `operator:${actor.id}`;
  if (actor.kind === 'citizen' && CIVIL_ID.test(actor.id)) return actor.id;
  if (actor.kind === 'relyingParty' || actor.kind === 'system') return null;
  const civilId = eventTypes.get(type)?.audit.civilId?.(data) ?? null;
  return civilId !== null && CIVIL_ID.test(civilId) ? civilId : null;
}

type Decoding = RecordedEvent | Promise<RecordedEvent>;

/**
 * Key of the decoded event on the logged event itself, per round of decoding: a WeakMap over the events of a replay
 * costs the garbage collector several times the decoding.
 */
const DECODED = Symbol('decoded');

/** Same for events decoded without personal data, which crypto-shredding does not change. */
const DECODED_BARE = Symbol('decoded without personal data');

/** Events appended through this codec, so that its own subscribers need not decode them. */
class Appended {
  readonly by: NewEvent;
  readonly round: object;

  constructor(by: NewEvent, round: object) {
    this.by = by;
    this.round = round;
  }
}

type Remembering = LoggedEvent & {
  [DECODED_BARE]?: RecordedEvent;
  [DECODED]?: { readonly round: object; readonly decoding: Decoding } | undefined;
};

const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 5000;

/** Translation between events and what is stored of them: addresses and personal fields encrypted, old shapes upcast. */
export interface Codec {
  /** @throws UnknownEvent, UnstorableEvent, SubjectForgotten, Unavailable */
  encode(events: readonly NewEvent[]): Promise<readonly EncodedEvent[]>;
  /** @throws UndecodableEvent, Unavailable(database) */
  decode(event: LoggedEvent): Decoding;
  /**
   * Decoding of the batches of a subscription, which waits while the keys are unavailable.
   *
   * @returns rejects when `stopped` aborts meanwhile
   */
  batches(
    options: Pick<EventSubscriptionOptions, 'withoutPersonalData' | 'keepUndecodable'>,
  ): (events: readonly LoggedEvent[], stopped: AbortSignal) => Promise<readonly RecordedEvent[]>;
}

/**
 * The codec of a log. Subscribers that receive the same logged event share one decoding, and those of the process that
 * appended it none, until a person is forgotten.
 */
function createCodec(options: EncodingOptions): Codec {
  const { vault } = options;
  const { encode, decode, decodeWithoutPersonalData, withoutPersonalData } =
    createEventEncoding(options);
  // Replaced when a person is forgotten: events decoded before, or by another codec, are not delivered.
  let round = {};
  vault.onForgotten(() => {
    round = {};
  });

  /** The event as appended through it, unless a person was forgotten since. */
  function justAppended({ note }: LoggedEvent): NewEvent | undefined {
    return note instanceof Appended && note.round === round ? note.by : undefined;
  }

  function decodeOnce(logged: Remembering): Decoding {
    const appended = justAppended(logged);
    if (appended !== undefined) return recorded(logged, appended.event, appended.metadata);
    const known = logged[DECODED];
    if (known?.round === round) return known.decoding;
    const decoding = decode(logged);
    logged[DECODED] = { round, decoding };
    if (decoding instanceof Promise) decoding.catch(() => (logged[DECODED] = undefined));
    return decoding;
  }

  function decodeBareOnce(logged: Remembering): RecordedEvent {
    const appended = justAppended(logged);
    const known =
      logged[DECODED_BARE] ??
      (appended === undefined
        ? decodeWithoutPersonalData(logged)
        : recorded(logged, withoutPersonalData(appended.event), appended.metadata));
    logged[DECODED_BARE] = known;
    return known;
  }

  async function decodeBatch(
    events: readonly LoggedEvent[],
    stopped: AbortSignal,
    decodeOne: (event: LoggedEvent) => Decoding,
  ): Promise<readonly RecordedEvent[]> {
    for (let pause = FIRST_RETRY_MS; ; pause = Math.min(pause * 2, LONGEST_RETRY_MS)) {
      try {
        return await all(events.map(decodeOne));
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
      }
      await delay(pause, undefined, { signal: stopped });
    }
  }

  return {
    async encode(given) {
      const encrypted = all(given.map((event) => withEncryptedAddress(vault, event)));
      const events = encrypted instanceof Promise ? await encrypted : encrypted;
      const encoded = all(events.map(encode));
      const ready = encoded instanceof Promise ? await encoded : encoded;
      return ready.map((event, index) => {
        const by = events[index];
        return by === undefined ? event : { ...event, note: new Appended(by, round) };
      });
    },
    decode,
    batches({ withoutPersonalData: isBare = false, keepUndecodable = false }) {
      const strictly = isBare ? decodeBareOnce : decodeOnce;
      const decodeOne = keepUndecodable ? keepingUndecodable(strictly) : strictly;
      return (events, stopped) => decodeBatch(events, stopped, decodeOne);
    },
  };
}

function recorded(
  { id, stream, revision, position }: LoggedEvent,
  event: RecordedEvent['event'],
  metadata: EventMetadata,
): RecordedEvent {
  return { id, stream, revision, position, event, metadata };
}

/** Decodes as `decodeOne`, and marks what it cannot decode. */
function keepingUndecodable(decodeOne: (event: LoggedEvent) => Decoding) {
  function marked(logged: LoggedEvent, error: unknown): RecordedEvent {
    if (!(error instanceof UndecodableEvent)) throw error;
    const event = { type: logged.type, data: {} };
    return { ...recorded(logged, event, metadataOrNone(logged)), undecodable: error };
  }
  return (logged: LoggedEvent): Decoding => {
    try {
      const decoding = decodeOne(logged);
      if (!(decoding instanceof Promise)) return decoding;
      return decoding.catch((error: unknown) => marked(logged, error));
    } catch (error) {
      return marked(logged, error);
    }
  };
}

/** Waits only when there is something to wait for. */
function all<Value>(values: readonly (Value | Promise<Value>)[]): Value[] | Promise<Value[]> {
  return values.some((value) => value instanceof Promise)
    ? Promise.all(values)
    : (values as Value[]);
}
