import { type Kysely, type RawBuilder, type Selectable, sql, type Transaction } from 'kysely';
import type { Cell } from '../../application/ports/bulkWriter.ts';
import type { Database, ParkedEventTable } from '../database.ts';
import type { SqlType } from './columns.ts';
import {
  type AnyReadModel,
  type AnyRow,
  keyOfRow,
  type RowChange,
  type Tally,
} from './readModel.ts';
import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import { errorClass, isOfNewerRelease } from '../../application/ports/faults.ts';

/** Cells of a row in the order of the read model's columns, in PostgreSQL's text format. */
export function toCells(model: AnyReadModel, row: AnyRow): readonly Cell[] {
  return Object.entries(model.columns).map(([column, type]) => toCell(type, row[column]));
}

function toCell(type: SqlType, value: unknown): Cell {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return value.toString();
  return typeof value === 'string' && type !== 'jsonb' ? value : JSON.stringify(value);
}

/** Rows by column, each column as the text of a PostgreSQL array, for {@link upsert}. */
export function toArrays(model: AnyReadModel, rows: readonly AnyRow[]): readonly string[] {
  return Object.entries(model.columns).map(([column, type]) => {
    const cells = rows.map((row) => {
      const cell = toCell(type, row[column]);
      return cell === null ? 'NULL' : `"${needsEscape.test(cell) ? escaped(cell) : cell}"`;
    });
    return `{${cells.join(',')}}`;
  });
}

// Written here because the driver scans every cell letter by letter; few need escaping.
const needsEscape = /["\\]/;

function escaped(cell: string): string {
  return cell.replaceAll('\\', '\\\\').replaceAll('"', '\\"');
}

/**
 * Statement that writes any number of rows. A row at the same or a later revision is unchanged.
 *
 * @param table the read model's own table or its side table
 * @param arrays see {@link toArrays}
 * @param condition of all rows
 */
export function upsert(
  model: AnyReadModel,
  table: string,
  arrays: readonly string[],
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const columns = Object.entries(model.columns);
  const names = sql.join(columns.map(([column]) => sql.ref(column)));
  const cells = columns.map(([, type], index) => sql`${arrays[index]}::${sql.raw(type)}[]`);
  const assignments = columns
    .filter(([column]) => column !== model.key)
    .map(([column]) => sql`${sql.ref(column)} = excluded.${sql.ref(column)}`);
  const whenPresent =
    model.appendOnly === true
      ? sql`nothing`
      : sql`update set ${sql.join(assignments)} where present.revision < excluded.revision`;
  return sql`
    insert into ${sql.table(table)} as present (${names})
    select * from unnest(${sql.join(cells)}) where ${condition}
    on conflict (${sql.ref(model.key)}) do ${whenPresent}
  `;
}

/** Writes rows in one statement; see {@link upsert}. */
export async function upsertRows(
  database: Kysely<Database>,
  model: AnyReadModel,
  table: string,
  rows: readonly AnyRow[],
): Promise<void> {
  if (rows.length > 0) await upsert(model, table, toArrays(model, rows)).execute(database);
}

/** Rows by key, times as ISO strings. */
export async function loadRows(
  database: Kysely<Database>,
  model: AnyReadModel,
  table: string,
  keys: readonly string[],
): Promise<ReadonlyMap<string, AnyRow>> {
  if (keys.length === 0) return new Map();
  const { rows } = await sql<Record<string, unknown>>`
    select * from ${sql.table(table)} where ${sql.ref(model.key)} = any(${keys}::text[])
  `.execute(database);
  return new Map(rows.map((row) => [row[model.key] as string, toRow(row)]));
}

function toRow(stored: Record<string, unknown>): AnyRow {
  const row: Record<string, unknown> = {};
  for (const [column, value] of Object.entries(stored)) {
    row[column] = value instanceof Date ? value.toISOString() : value;
  }
  return row as AnyRow;
}

/** Growth of each counter; zeros are left out. */
export type TallyGrowth = ReadonlyMap<string, Tally & { readonly grown: number }>;

/** Sums of a rebuild, or of a batch. */
export interface TallySums {
  add(changes: ReadonlyMap<string, RowChange>): void;
  copy(): TallySums;
  readonly growth: TallyGrowth;
}

/** Sums the contributions of row changes of one read model: its counters always equal those of its rows. */
export function createTallySums(model: AnyReadModel, initial: TallyGrowth = new Map()): TallySums {
  const { tally } = model;
  const sums = new Map(initial);

  function count(tallies: readonly Tally[], by: 1 | -1): void {
    for (const each of tallies) {
      const { metric, bucket, relyingPartyId, label } = each;
      const key = `${metric} ${bucket} ${relyingPartyId} ${label}`;
      const grown = (sums.get(key)?.grown ?? 0) + by;
      if (grown === 0) sums.delete(key);
      else sums.set(key, { metric, bucket, relyingPartyId, label, grown });
    }
  }

  return {
    add(changes) {
      if (tally === undefined) return;
      for (const { before, after } of changes.values()) {
        if (before !== undefined) count(tally(before), -1);
        count(tally(after), 1);
      }
    },
    copy: () => createTallySums(model, sums),
    growth: sums,
  };
}

/** Parameters of {@link addTallies}. */
export function tallyArrays(growth: TallyGrowth): readonly (readonly (string | number)[])[] {
  const all = [...growth.values()];
  return [
    all.map(({ metric }) => metric),
    all.map(({ bucket }) => bucket),
    all.map(({ relyingPartyId }) => relyingPartyId),
    all.map(({ label }) => label),
    all.map(({ grown }) => grown),
  ];
}

/**
 * Statement that adds to any number of a read model's counters.
 *
 * @param arrays see {@link tallyArrays}
 * @param condition of all
 */
export function addTallies(
  source: string | null,
  arrays: readonly unknown[],
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const [metrics, buckets, parties, labels, grown] = arrays;
  return sql`
    insert into tally as present (source, metric, bucket, relying_party_id, label, count)
    select ${source}::text, * from unnest(
      ${metrics}::text[], ${buckets}::timestamptz[], ${parties}::text[], ${labels}::text[], ${grown}::int8[]
    ) where ${condition}
    on conflict (metric, bucket, relying_party_id, label)
    do update set count = present.count + excluded.count
  `;
}

/** Replaces a read model's counters. */
export async function replaceTallies(
  transaction: Transaction<Database> | Kysely<Database>,
  source: string,
  growth: TallyGrowth,
): Promise<void> {
  await sql`delete from tally where source = ${source}`.execute(transaction);
  if (growth.size > 0) await addTallies(source, tallyArrays(growth)).execute(transaction);
}

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
