import { CompiledQuery, type Kysely, sql } from 'kysely';
import type { Clock } from '../../application/ports/clock.ts';
import type { EventStore, RecordedEvent } from '../../application/ports/eventStore.ts';
import {
  type NotificationSender,
  everyTopic,
  notificationChannel,
} from '../../application/ports/notifications.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import { traced } from '../../application/ports/spans.ts';
import type { Database } from '../database.ts';
import {
  type CheckpointMoves,
  PoisonEvent,
  type ProjectionState,
  Superseded,
} from './checkpoints.ts';
import { claimFold, foldOf } from './foldVersions.ts';
import {
  addTallies,
  createParking,
  createTallySums,
  loadRows,
  parkedError,
  type ParkedEvent,
  type ParkedRow,
  parkEvents,
  parkingParameters,
  replaceTallies,
  tallyArrays,
  type TallyGrowth,
  toArrays,
  upsert,
} from './rows.ts';
import {
  type AnyReadModel,
  type AnyRow,
  foldBatch,
  type RowChange,
  topicsOf,
} from './readModel.ts';

export interface BatchProjectionDependencies {
  readonly database: Kysely<Database>;
  readonly eventStore: EventStore;
  readonly vault: PersonalDataVault;
  /** Waiters and caches of this process; other processes get notifications. */
  readonly notifications: NotificationSender;
  readonly clock: Clock;
  readonly checkpoints: CheckpointMoves;
  /** True for the outage of a dependency, which says nothing about the events. */
  readonly isOutage: (error: unknown) => boolean;
  /** Called when an event was parked: its row waits for an operator, the projection continues. */
  readonly onParked: (cause: unknown, eventId: string) => void;
  /** Called once for events of a newer release: what they concern waits for a process of that release. */
  readonly onNewer: (cause: unknown) => void;
  /** Called when everything up to a position was projected. */
  readonly onAdvanced: (events: readonly RecordedEvent[], position: bigint) => void;
}

/** Projection of one batch after another into the tables of a read model, fenced by its checkpoint. */
export interface BatchProjection {
  /** Checkpoint as this process last read or wrote it. */
  readonly stored: bigint | null;
  /** True while rows are those of a former fold. */
  readonly isOfFormerFold: boolean;
  /** Number of rows that are parked. */
  readonly parkedRows: number;
  /** Begins at the checkpoint, with no row remembered. */
  begin(): Promise<bigint | null>;
  /** @throws PoisonEvent, Superseded, or the error of a dependency */
  project(events: readonly RecordedEvent[], next: bigint): Promise<void>;
  /**
   * Folds parked rows again: all, or those that an operator wants to be.
   *
   * @throws Superseded
   */
  retryParked(all: boolean): Promise<void>;
  /** Stores the position that was reached, where no batch has. @throws Superseded */
  storePosition(): Promise<void>;
}

/** Rows cached between batches, so that most events need no read. */
const rememberedRows = 20_000;
/** Failing rows beyond which the projection stops: then it is at fault rather than its events. */
const mostParkedRows = 100;

export function createBatchProjection(
  model: AnyReadModel,
  state: Pick<ProjectionState, 'position'>,
  dependencies: BatchProjectionDependencies,
): BatchProjection {
  const { database, eventStore, vault, notifications, checkpoints, clock } = dependencies;
  const { isOutage, onParked, onNewer, onAdvanced } = dependencies;
  const { name } = model;
  const rows = createRowMemory(database, model);
  const commitBatch = createCommitBatch(model);
  const parking = createParking(database, model);
  let stored: bigint | null = null;
  let fold = foldOf(model);
  let toldNewer = false;

  async function commit(
    changes: ReadonlyMap<string, RowChange>,
    next: bigint,
    parked: Pick<BatchCommit, 'parked' | 'unparked'> = {},
  ) {
    const topics = topicsOf(model, changes, clock.now().toISOString());
    // A row of several events is stored until a rebuild, for the next event may come in another batch.
    const stays = ({ isArchived }: RowChange) => !isArchived || model.appendOnly !== true;
    const changed = [...changes.values()].filter(stays).map(({ after }) => after);
    const tallies = createTallySums(model);
    tallies.add(changes);
    const batch = { expected: stored, fold, next, rows: changed, tallies: tallies.growth, topics };
    if (!(await commitBatch(database, { ...batch, ...parked }))) throw new Superseded();
    stored = next;
    rows.remember(changes);
    notifications.notify(topics);
  }

  async function project(events: readonly RecordedEvent[], next: bigint): Promise<void> {
    const { open, behind } = parking.part(events);
    try {
      const changes = await foldBatch(model, open, rows.load, vault);
      if (changes.size + behind.length > 0) await commit(changes, next, { parked: behind });
      onAdvanced(events, next);
    } catch (error) {
      if (isPassing(error)) throw error;
      const [first] = events;
      if (first === undefined) throw error;
      if (events.length > 1) return projectHalves(events, next);
      await park(first, error, next);
    }
  }

  /** Projects the events before the failing one, which is found by bisection. */
  async function projectHalves(events: readonly RecordedEvent[], next: bigint) {
    const middle = Math.ceil(events.length / 2);
    const left = events.slice(0, middle);
    await project(left, left.at(-1)?.position ?? next);
    await project(events.slice(middle), next);
  }

  /** Parks an event: its row waits, the others continue. */
  async function park(event: RecordedEvent, cause: unknown, next: bigint): Promise<void> {
    const isNewer = event.undecodable?.isOfNewerRelease === true;
    if (!isNewer && parking.failing >= mostParkedRows) throw new PoisonEvent(event.id, cause);
    const parked = parking.parked(event, cause);
    await commit(new Map(), next, { parked: [parked] });
    parking.hold(parked);
    if (!isNewer) onParked(cause, event.id);
    else if (!toldNewer) onNewer(cause);
    toldNewer ||= isNewer;
    onAdvanced([event], next);
  }

  /** Folds a row's parked events in order, as far as possible. */
  async function refold({ events }: ParkedRow): Promise<void> {
    for (const parked of events) {
      const { position } = state;
      if (position === null) return;
      try {
        const changes = await foldBatch(model, [await readAgain(parked)], rows.load, vault);
        await commit(changes, position, { unparked: [parked.position] });
      } catch (error) {
        if (isPassing(error)) throw error;
        const again = { ...parked, error: parkedError(error) };
        await commit(new Map(), position, { parked: [again] });
        return;
      }
    }
  }

  async function readAgain({ stream, revision }: ParkedEvent): Promise<RecordedEvent> {
    for await (const recorded of eventStore.read(stream, revision)) return recorded;
    throw new Error('The log does not hold the parked event.');
  }

  /** True for what says nothing about the events. */
  function isPassing(error: unknown): boolean {
    return error instanceof Superseded || error instanceof PoisonEvent || isOutage(error);
  }

  return {
    get stored() {
      return stored;
    },
    get isOfFormerFold() {
      return fold < foldOf(model);
    },
    get parkedRows() {
      return parking.size;
    },
    async begin() {
      rows.forget();
      ({ position: stored, fold } = await claimFold(database, model));
      if (stored === null) await parking.clear();
      // A projection from the beginning recounts everything.
      if (stored === null && model.tally !== undefined) {
        await replaceTallies(database, name, new Map());
      }
      return stored;
    },
    project,
    async retryParked(all) {
      const due = (await parking.load()).filter(({ isDue }) => all || isDue);
      for (const row of due) await refold(row);
      if (due.length > 0) await parking.load();
    },
    async storePosition() {
      const { position } = state;
      if (position === null || position === stored) return;
      if (!(await checkpoints.move(name, stored, position))) throw new Superseded();
      stored = position;
    },
  };
}

/** Rows of a read model, read once and remembered as they were last committed. */
function createRowMemory(database: Kysely<Database>, model: AnyReadModel) {
  const rows = new Map<string, AnyRow>();
  return {
    async load(keys: readonly string[]): Promise<ReadonlyMap<string, AnyRow>> {
      const found = new Map<string, AnyRow>();
      const missing: string[] = [];
      for (const key of keys) {
        const row = rows.get(key);
        if (row === undefined) missing.push(key);
        else found.set(key, row);
      }
      const read = await loadRows(database, model, model.table, missing);
      for (const [key, row] of read) found.set(key, row);
      return found;
    },
    remember(changes: ReadonlyMap<string, RowChange>): void {
      for (const [key, { after }] of changes) {
        rows.delete(key);
        if (model.isFinal?.(after) !== true) rows.set(key, after);
      }
      for (const key of rows.keys()) {
        if (rows.size <= rememberedRows) break;
        rows.delete(key);
      }
    },
    forget: () => rows.clear(),
  };
}

/** PostgreSQL's limit is below 8000 bytes. */
const payloadBytes = 7900;
const payloadsAtMost = 16;

/** Packs topics into as few notifications as possible; beyond a bound into one for all waiters. */
export function toPayloads(topics: readonly string[]): readonly string[] {
  const payloads: string[] = [];
  let lines: string[] = [];
  let bytes = 0;
  for (const topic of topics) {
    const size = Buffer.byteLength(topic) + 1;
    if (bytes + size > payloadBytes && lines.length > 0) {
      payloads.push(lines.join('\n'));
      lines = [];
      bytes = 0;
    }
    lines.push(topic);
    bytes += size;
  }
  if (lines.length > 0) payloads.push(lines.join('\n'));
  return payloads.length > payloadsAtMost ? [everyTopic] : payloads;
}

/** Changes of a batch, and its end position in the log. */
interface BatchCommit {
  /** Expected checkpoint. */
  readonly expected: bigint | null;
  /** Expected version of the fold that made the rows: after a rebuild by another one, remembered rows are of before. */
  readonly fold: number;
  readonly next: bigint;
  readonly rows: readonly AnyRow[];
  readonly tallies: TallyGrowth;
  /** Topics notified to every process with the commit. */
  readonly topics: readonly string[];
  /** Events parked, or parked still, with the batch; default: none. */
  readonly parked?: readonly ParkedEvent[];
  /** Positions of parked events that were folded; default: none. */
  readonly unparked?: readonly bigint[];
}

/** Commits a batch; false, and nothing written, when the checkpoint is not as expected. */
type CommitBatch = (database: Kysely<Database>, commit: BatchCommit) => Promise<boolean>;

/**
 * Writes rows, checkpoint and notification of one read model's batch in one statement: one round trip instead of five,
 * with a constant text that is built once. The commit is asynchronous: rows and checkpoint go together, so a batch lost
 * in a crash of the database is projected again.
 */
function createCommitBatch(model: AnyReadModel): CommitBatch {
  const noRows = toArrays(model, []);
  const counts = model.tally !== undefined;
  const texts: { plain?: string; parking?: string } = {};

  /** Parameters are in the order in which {@link CommitBatch} passes them. */
  function textFor(database: Kysely<Database>, kind: keyof typeof texts): string {
    const moved = sql`exists (select from moved)`;
    const tallied = counts
      ? sql`, tallied as (${addTallies(model.name, tallyArrays(new Map()), moved)})`
      : sql``;
    const parked =
      kind === 'parking' ? parkEvents(parkingParameters(model.name, [], []), moved) : sql``;
    return sql`
      with moved as (
        update checkpoint set position = ${null}, moved_at = now()
        where name = ${null} and position is not distinct from ${null}::bigint and fold = ${null}::int
        returning 1
      ), written as (
        ${upsert(model, model.table, noRows, moved)}
      )${tallied}${parked}, told as (
        select pg_notify(${null}, payload) from unnest(${null}::text[]) as payload where ${moved}
      )
      select ${moved} as moved, (select count(*) from told), set_config('synchronous_commit', 'off', true)
    `.compile(database).sql;
  }

  return async (
    database,
    { expected, fold, next, rows, tallies, topics, parked = [], unparked = [] },
  ) => {
    const kind = parked.length + unparked.length > 0 ? 'parking' : 'plain';
    const text = (texts[kind] ??= textFor(database, kind));
    const query = CompiledQuery.raw(text, [
      ...[next, model.name, expected, fold],
      ...toArrays(model, rows),
      ...(counts ? [model.name, ...tallyArrays(tallies)] : []),
      ...(kind === 'parking' ? parkingParameters(model.name, parked, unparked) : []),
      ...[notificationChannel, toPayloads(topics)],
    ]);
    const result = await traced('projection', `project ${model.name}`, {}, () =>
      database.executeQuery<{ readonly moved: boolean }>(query),
    );
    return result.rows[0]?.moved === true;
  };
}
