import type { RecordedEvent } from '../application/ports/eventStore.ts';
import type { PersonalDataVault } from '../application/ports/personalDataVault.ts';
import type { DomainEvent } from '../domain/shared/decider.ts';
import { identifierOf, type StreamCategory } from '../domain/shared/streams.ts';

/**
 * PostgreSQL types of read-model columns. In rows `timestamptz` is an ISO string, `jsonb` plain data, `tsvector` text.
 */
export type ColumnType =
  'text' | 'uuid' | 'boolean' | 'int8' | 'timestamptz' | 'jsonb' | 'tsvector';

/** Every row remembers the stream revision it shows: what makes replaying harmless. */
export interface RevisionedRow {
  readonly revision: bigint;
}

/** What one row counts for. Whatever the row was counted for before is taken back when it changes. */
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
export interface ReadModel<Row extends RevisionedRow, Event extends DomainEvent> {
  /** Also the name of its checkpoint and of its lock. */
  readonly name: string;
  readonly table: string;
  readonly category: StreamCategory | readonly StreamCategory[];
  readonly key: keyof Row & string;
  readonly columns: Readonly<Record<keyof Row & string, ColumnType>>;
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
   * Personal columns the event sets, sealed; laid over what `evolve` returned. Without it the read model has none, and
   * `evolve` sees placeholders.
   */
  readonly seal?: (event: Event, vault: PersonalDataVault) => Promise<Partial<Row>>;
  /** The columns `seal` sets. The row has a `civil_id` then: whose they are. */
  readonly personal?: readonly (keyof Row & string)[];
  /** Topics to wake because of this change. `now` is an ISO time. */
  readonly topics: (row: Row, before: Row | undefined, now: string) => readonly string[];
  /** Whether no further event can change the row: it need not be remembered. */
  readonly isFinal?: (row: Row) => boolean;
  /** Every event makes a row of its own that nothing changes: none is looked up, and one that is there already stays. */
  readonly appendOnly?: true;
  /** Nobody waits for it after a command (`ProjectionProgress`): it is kept in larger batches, which costs less. */
  readonly inBackground?: true;
  /** What the row counts for on the dashboard; kept with it, in the same commit. */
  readonly tally?: (row: Row) => readonly Tally[];
}

/** A row whose columns are of no interest to the caller. */
export type AnyRow = RevisionedRow & Readonly<Record<string, unknown>>;

/** A read model whose row and event types have been checked against each other and forgotten. */
export type AnyReadModel = ReadModel<AnyRow, DomainEvent>;

/** Checks a read model's types and forgets them, so that all kinds fit in one list. */
export function readModel<Row extends RevisionedRow, Event extends DomainEvent>(
  definition: ReadModel<Row, Event>,
): AnyReadModel {
  return definition as unknown as AnyReadModel;
}

/** The categories whose streams a read model is kept from. */
export function categoriesOf({ category }: AnyReadModel): readonly StreamCategory[] {
  return typeof category === 'string' ? [category] : category;
}

/** A row before and after a batch. */
export interface RowChange {
  readonly before: AnyRow | undefined;
  readonly after: AnyRow;
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
  const keyOf = model.keyOf ?? (({ stream }: RecordedEvent) => identifierOf(stream));
  const ids = events.map(keyOf);
  const sealed = await sealAll(model, events, vault);
  const rows = new Map(model.appendOnly === true ? [] : await load(keysToLoad(ids, events)));
  const changes = new Map<string, RowChange>();
  for (const [index, recorded] of events.entries()) {
    const { event, revision } = recorded;
    const id = ids[index] ?? '';
    const row = rows.get(id);
    if (row !== undefined && row.revision >= revision) continue;
    const evolved = model.evolve(row, event, id, recorded);
    if (evolved === undefined) continue;
    const after = Object.assign({}, evolved, sealed?.[index], { revision });
    rows.set(id, after);
    changes.set(id, { before: changes.has(id) ? changes.get(id)?.before : row, after });
  }
  return changes;
}

function sealAll(
  model: AnyReadModel,
  events: readonly RecordedEvent[],
  vault: PersonalDataVault,
): Promise<readonly Partial<AnyRow>[]> | undefined {
  const { seal } = model;
  if (seal === undefined) return undefined;
  return Promise.all(events.map(({ event }) => seal(event, vault)));
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

/** Wake topics of all changes, each once. */
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
