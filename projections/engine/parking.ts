import { type Kysely, type RawBuilder, type Selectable, sql } from 'kysely';
import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import { errorClass, isOfNewerRelease } from '../../application/ports/faults.ts';
import type { Database, ParkedEventTable } from '../database.ts';
import { type AnyReadModel, keyOfRow } from './readModel.ts';

/** An event that waits to be folded into its row: it failed, or follows one that did. */
export interface ParkedEvent {
  readonly position: bigint;
  readonly key: string;
  readonly eventId: string;
  readonly stream: string;
  readonly revision: bigint;
  /** Class of the error; null: it only waits behind one that failed. */
  readonly error: string | null;
}

/** A row with its parked events, in order. */
export interface ParkedRow {
  readonly key: string;
  readonly events: readonly ParkedEvent[];
  /** An operator requested a retry, or the failed event was skipped. */
  readonly isDue: boolean;
}

/** Rows of a read model whose events are parked, remembered by the process that projects it. */
export interface Parking {
  /** Number of rows. */
  readonly size: number;
  /** Number of those that wait because an event failed, not for a newer release. */
  readonly failing: number;
  /** Parts a batch into what may be folded and what waits behind parked events; skipped events are in neither. */
  part(events: readonly RecordedEvent[]): {
    readonly open: readonly RecordedEvent[];
    readonly behind: readonly ParkedEvent[];
  };
  /** An event as it is parked. */
  parked(recorded: RecordedEvent, cause: unknown): ParkedEvent;
  hold(parked: ParkedEvent): void;
  /** Reads what is parked. */
  load(): Promise<readonly ParkedRow[]>;
  /** Removes parked events, for a projection from the beginning; skipped ones stay skipped. */
  clear(): Promise<void>;
}

/** Error of an event that waits for a process of a newer release. */
const OF_NEWER_RELEASE = 'EventOfNewerRelease';

/** Error that an event is parked with. */
export function parkedError(cause: unknown): string {
  return isOfNewerRelease(cause) ? OF_NEWER_RELEASE : errorClass(cause);
}

/** Parked events of one read model, in the table `parked_event`. */
export function createParking(database: Kysely<Database>, model: AnyReadModel): Parking {
  const { name } = model;
  const keyOf = keyOfRow(model);
  /** Error of the first event by the row's key. */
  let keys = new Map<string, string | null>();
  let skipped = new Set<bigint>();

  function toParked(recorded: RecordedEvent, error: string | null): ParkedEvent {
    const { position, id: eventId, stream, revision } = recorded;
    return { position, key: keyOf(recorded), eventId, stream, revision, error };
  }

  return {
    get size() {
      return keys.size;
    },
    get failing() {
      return [...keys.values()].filter((error) => error !== OF_NEWER_RELEASE).length;
    },
    part(events) {
      if (keys.size === 0 && skipped.size === 0) return { open: events, behind: [] };
      const counted = events.filter(({ position }) => !skipped.has(position));
      const isParked = (recorded: RecordedEvent) => keys.has(keyOf(recorded));
      return {
        open: counted.filter((recorded) => !isParked(recorded)),
        behind: counted.filter(isParked).map((recorded) => toParked(recorded, null)),
      };
    },
    parked: (recorded, cause) => toParked(recorded, parkedError(cause)),
    hold: ({ key, error }) => void keys.set(key, error),
    async load() {
      const stored = await database
        .selectFrom('parked_event')
        .selectAll()
        .where('read_model', '=', name)
        .orderBy('position')
        .execute();
      const waiting = stored.filter(({ skipped_at: at }) => at === null);
      keys = new Map();
      for (const { row_key: key, error } of waiting) if (!keys.has(key)) keys.set(key, error);
      skipped = new Set(
        stored.filter(({ skipped_at: at }) => at !== null).map(({ position }) => position),
      );
      return Array.from(keys.keys(), (key) => {
        const events = waiting.filter((each) => each.row_key === key);
        return {
          key,
          isDue: events.some((each) => each.retry_wanted) || events[0]?.error === null,
          events: events.map(toParkedEvent),
        };
      });
    },
    async clear() {
      await database
        .deleteFrom('parked_event')
        .where('read_model', '=', name)
        .where('skipped_at', 'is', null)
        .execute();
      keys.clear();
    },
  };
}

function toParkedEvent(stored: Selectable<ParkedEventTable>): ParkedEvent {
  const { position, row_key: key, event_id: eventId, stream, revision, error } = stored;
  return { position, key, eventId, stream, revision, error };
}

/** Parameters of {@link parkEvents}. */
export function parkingParameters(
  readModel: string,
  parked: readonly ParkedEvent[],
  unparked: readonly bigint[],
): readonly unknown[] {
  return [
    readModel,
    parked.map(({ position }) => position),
    parked.map(({ key }) => key),
    parked.map(({ eventId }) => eventId),
    parked.map(({ stream }) => stream),
    parked.map(({ revision }) => revision),
    parked.map(({ error }) => error),
    readModel,
    unparked,
  ];
}

/**
 * Parts of a batch's statement that park events, and end the parking of others.
 *
 * @param parameters see {@link parkingParameters}
 * @param condition of all
 */
export function parkEvents(
  parameters: readonly unknown[],
  condition: RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [name, positions, keys, ids, streams, revisions, errors, same, unparked] = parameters;
  return sql`, parked as (
    insert into parked_event as present
      (read_model, position, row_key, event_id, stream, revision, error, attempts)
    select ${name}::text, position, key, id, stream, revision, error, (error is not null)::int
    from unnest(
      ${positions}::int8[], ${keys}::text[], ${ids}::text[], ${streams}::text[], ${revisions}::int8[],
      ${errors}::text[]
    ) as each (position, key, id, stream, revision, error) where ${condition}
    on conflict (read_model, position) do update set
      error = coalesce(excluded.error, present.error),
      attempts = present.attempts + excluded.attempts,
      retry_wanted = false
  ), unparked as (
    delete from parked_event
    where read_model = ${same}::text and position = any(${unparked}::int8[]) and ${condition}
  )`;
}
