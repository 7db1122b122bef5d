import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import type { DomainEvent } from '../../domain/shared/decider.ts';
import type { StreamCategory } from '../../domain/events.ts';
import type { EventDeclarations, EventOf } from '../../domain/shared/defineEvents.ts';
import { identifierOf } from '../../domain/shared/streams.ts';
import type { Columns, RowOf } from './columns.ts';

/** Every row remembers the stream revision it shows: what makes replaying harmless. */
export interface RevisionedRow {
  readonly revision: bigint;
}

/** A counter contribution of one row. When the row changes, its previous contributions are subtracted. */
export interface Tally {
  /** Of one read model alone. */
  readonly metric: string;
  /** ISO 8601, of the start of an hour or a day: when it counts. */
  readonly bucket: string;
  /** Empty: of no relying party. */
  readonly relyingPartyId: string;
  readonly label: string;
}

/** One table kept from the streams of one category, or of several: one row per stream, its key the stream's identifier, unless `keyOf` says otherwise. */
export interface ReadModel<Row extends object, Event extends DomainEvent> {
  /** Also the name of its checkpoint and of its lock. */
  readonly name: string;
  readonly table: string;
  /** The events it is kept from, as their aggregates declare them. */
  readonly events: EventDeclarations | readonly EventDeclarations[];
  readonly key: keyof Row & string;
  readonly columns: Columns;
  /**
   * Version of what its rows are made of, from 1, which is the default: raised when the same events make other rows, or
   * it gets another column. The table is made anew then (ADR 66).
   */
  readonly version?: number;
  /**
   * Columns that auditors see as the state of the thing, nothing secret and nothing personal; null: none. Named one by
   * one, so that a column that comes later is not shown by mistake.
   */
  readonly shown: readonly (keyof Row & string)[] | null;
  /** The row after `event`; `undefined` while there is nothing to show. Pure; `revision` is set by the caller. */
  readonly evolve: (
    row: Row | undefined,
    event: Event,
    id: string,
    recorded: RecordedEvent,
  ) => Row | undefined;
  /** The row an event belongs to; default: that of its stream. */
  readonly keyOf?: (recorded: RecordedEvent) => string;
  /**
   * Personal columns the event sets, encrypted; laid over what `evolve` returned. Without it the read model has none, and
   * `evolve` sees placeholders.
   */
  readonly encrypt?: (event: Event, vault: PersonalDataVault) => Promise<Partial<Row>>;
  /** The columns `encrypt` sets. The row has a `civil_id` then: whose they are. */
  readonly personal?: readonly (keyof Row & string)[];
  /** Topics to notify of this change. `now` is an ISO time. */
  readonly topics: (row: Row, before: Row | undefined, now: string) => readonly string[];
  /** True when no further event can change the row: it need not be cached. */
  readonly isFinal?: (row: Row) => boolean;
  /** Every event makes a row of its own that nothing changes: none is looked up, and one that is there already stays. */
  readonly appendOnly?: true;
  /** True: no command waits for it (`ProjectionProgress`), so it is written in larger batches, which costs less. */
  readonly inBackground?: true;
  /** Written for each login: events gather after a batch, so that by night one does not cost several. */
  readonly isBusy?: true;
  /** Its key grows with time, by which its table is partitioned. */
  readonly byTime?: true;
  /** True: has no rows of archived events, only their counters. */
  readonly withoutArchived?: true;
  /** Dashboard counters of the row; updated in the same commit. */
  readonly tally?: (row: Row) => readonly Tally[];
}

/** A row whose columns are of no interest to the caller. */
export type AnyRow = RevisionedRow & Readonly<Record<string, unknown>>;

/** A read model whose row and event types have been checked against each other and forgotten. */
export type AnyReadModel = ReadModel<AnyRow, DomainEvent>;

/** A read model that still tells its table and columns: the database's type is made of them. */
export interface DeclaredReadModel<Table extends string, Of extends Columns> extends AnyReadModel {
  readonly table: Table;
  readonly columns: Of;
}

type EventsIn<Declared> = Declared extends EventDeclarations ? EventOf<Declared> : DomainEvent;

/** Declares a read model. Checks its functions against columns and events, then erases the types of both, so that all fit in one list. */
export function readModel<
  const Table extends string,
  const Of extends Columns,
  const Declared extends EventDeclarations | readonly EventDeclarations[],
>(
  definition: ReadModel<NoInfer<RowOf<Of>>, NoInfer<EventsIn<Declared>>> & {
    readonly table: Table;
    readonly columns: Of;
    readonly events: Declared;
  },
): DeclaredReadModel<Table, Of> {
  return definition as unknown as DeclaredReadModel<Table, Of>;
}

/** The categories whose streams a read model is kept from. */
export function categoriesOf({ events }: AnyReadModel): readonly StreamCategory[] {
  const declared: readonly EventDeclarations[] = 'category' in events ? [events] : events;
  return declared.map(({ category }) => category as StreamCategory);
}

/** The key of the row an event belongs to. */
export function keyOfRow({ keyOf }: AnyReadModel): (recorded: RecordedEvent) => string {
  return keyOf ?? (({ stream }) => identifierOf(stream));
}

/** A row before and after a batch. */
export interface RowChange {
  readonly before: AnyRow | undefined;
  readonly after: AnyRow;
  /** Counted, but not stored: it is of what the archive has. */
  readonly isArchived: boolean;
}

/** Finds the present rows of these keys. */
export type LoadRows = (keys: readonly string[]) => Promise<ReadonlyMap<string, AnyRow>>;

/** Folds a batch into the rows it touches: one change per row, however many events. */
export async function foldBatch(
  model: AnyReadModel,
  events: readonly RecordedEvent[],
  load: LoadRows,
  vault: PersonalDataVault,
): Promise<ReadonlyMap<string, RowChange>> {
  const undecodable = events.find((each) => each.undecodable !== undefined)?.undecodable;
  if (undecodable !== undefined) throw undecodable;
  const ids = events.map(keyOfRow(model));
  const encrypted = await encryptAll(model, events, vault);
  const rows = new Map(model.appendOnly === true ? [] : await load(keysToLoad(ids, events)));
  const changes = new Map<string, RowChange>();
  for (const [index, recorded] of events.entries()) {
    const { event, revision } = recorded;
    const id = ids[index] ?? '';
    const row = rows.get(id);
    if (row !== undefined && row.revision >= revision) continue;
    const evolved = model.evolve(row, event, id, recorded);
    if (evolved === undefined) continue;
    const after = { ...evolved, ...encrypted?.[index], revision };
    rows.set(id, after);
    const before = changes.has(id) ? changes.get(id)?.before : row;
    changes.set(id, { before, after, isArchived: isLeftOut(model, recorded) });
  }
  return changes;
}

function isLeftOut({ withoutArchived }: AnyReadModel, { archived }: RecordedEvent): boolean {
  return archived === true && withoutArchived === true;
}

function encryptAll(
  model: AnyReadModel,
  events: readonly RecordedEvent[],
  vault: PersonalDataVault,
): Promise<readonly Partial<AnyRow>[]> | undefined {
  const { encrypt } = model;
  if (encrypt === undefined) return undefined;
  return Promise.all(events.map(({ event }) => encrypt(event, vault)));
}

/** Streams that begin within the batch need no row: the fold sees them whole. */
function keysToLoad(ids: readonly string[], events: readonly RecordedEvent[]): readonly string[] {
  const seen = new Set<string>();
  const wanted: string[] = [];
  for (const [index, id] of ids.entries()) {
    if (seen.has(id)) continue;
    seen.add(id);
    if (events[index]?.revision !== 0n) wanted.push(id);
  }
  return wanted;
}

/** Topics of all changes, each once. */
export function topicsOf(
  model: AnyReadModel,
  changes: ReadonlyMap<string, RowChange>,
  now: string,
): readonly string[] {
  const topics = new Set<string>();
  for (const { before, after } of changes.values()) {
    for (const topic of model.topics(after, before, now)) topics.add(topic);
  }
  return [...topics];
}

// Tallies of the dashboard. Times are ISO 8601 in UTC, so their beginnings are hours and days.

/** The bucket of counts that are not of a time. */
export const always = new Date(0).toISOString();

/** One in the hour of a time. */
export function ofHour(metric: string, time: string, label: string, relyingPartyId = ''): Tally {
  return { metric, bucket: `${time.slice(0, 13)}:00:00.000Z`, relyingPartyId, label };
}

// Rows as records: a field for each column, named as TypeScript names things (ADR 71).

/** `civil_id` as a field: `civilId`. */
type Camel<Name extends string> = Name extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Name;

/** Value in records: a time is an ISO 8601 string there, a whole number is a number. */
type FieldOf<Value> = Value extends Date ? string : Value extends bigint ? number : Value;

/** A row as a record. */
export type RecordOf<Row> = {
  readonly [Name in keyof Row & string as Camel<Name>]: FieldOf<Row[Name]>;
};

/** `civil_id` as a field: `civilId`. */
export function fieldName(column: string): string {
  return column.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** The columns of a read model but these, in the order of their declaration. */
export function columnsBut<const Of extends Columns, const Name extends keyof Of & string = never>(
  { columns }: DeclaredReadModel<string, Of>,
  ...hidden: readonly Name[]
): readonly Exclude<keyof Of & string, Name>[] {
  const left = new Set<string>(hidden);
  return Object.keys(columns).filter((column) => !left.has(column)) as Exclude<
    keyof Of & string,
    Name
  >[];
}

/** Makes records of rows, with these columns and no others; what a JSON column holds stays as it is. */
export function records<const Name extends string>(
  columns: readonly Name[],
): <Row extends Readonly<Record<Name, unknown>>>(row: Row) => RecordOf<Pick<Row, Name>> {
  const fields = columns.map((column) => [column, fieldName(column)] as const);
  return <Row extends Readonly<Record<Name, unknown>>>(row: Row) => {
    const record: Record<string, unknown> = {};
    for (const [column, field] of fields) record[field] = fieldValue(row[column]);
    return record as RecordOf<Pick<Row, Name>>;
  };
}

function fieldValue(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'bigint' ? Number(value) : value;
}
