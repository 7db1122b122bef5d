import { type Kysely, sql, type Transaction } from 'kysely';
import type { BulkWriter } from '../../application/ports/bulkWriter.ts';
import type { EventStore, RecordedEvent } from '../../application/ports/eventStore.ts';
import { isLockRefused } from '../../application/ports/faults.ts';
import { follow, pause } from '../../application/ports/follow.ts';
import type { PersonalDataVault } from '../../application/ports/personalDataVault.ts';
import { readCheckpoint } from './checkpoints.ts';
import { foldOf } from './foldVersions.ts';
import type { Database } from '../database.ts';
import { type AnyReadModel, type AnyRow, categoriesOf, foldBatch, keyOfRow } from './readModel.ts';
import { readModels as allReadModels } from '../readModels.ts';
import { createTallySums, loadRows, replaceTallies, toCells, upsertRows } from './rows.ts';
import {
  createSideTable,
  indexSideTable,
  isKeptForLong,
  sideTableOf,
  swapTables,
} from './sideTable.ts';

export interface RebuildOptions {
  readonly database: Kysely<Database>;
  readonly eventStore: EventStore;
  readonly vault: PersonalDataVault;
  readonly bulkWriter: BulkWriter;
  readonly onProgress?: (progress: RebuildProgress) => void;
  /** Ends the rebuild: the present table stays. With it, the swap waits for as long as the table is kept. */
  readonly signal?: AbortSignal;
  /** Pause between tries of the swap while the table is kept, milliseconds; default 1000. */
  readonly swapPauseMs?: number;
  /** Default: all. */
  readonly readModels?: readonly AnyReadModel[];
  /** True: rebuilds a copy for a comparison only: without partitions. */
  readonly isScratch?: boolean;
}

export interface RebuildProgress {
  readonly name: string;
  /** Events projected so far. */
  readonly events: number;
  /** Log position the side table has reached. */
  readonly position: bigint | null;
}

const maxBatch = 5000;
/** Lock timeout of the swap while readers hold the current table, milliseconds; it is then retried. */
const swapLockMs = 1000;
const swapPauseMs = 1000;
/** Tries for an operator who waits. */
const swapAttempts = 60;

/**
 * Rebuilds one read model from the log in a side table while the current one is still served and projected, then swaps
 * them in one transaction. May run in any process, beside a running projector: the swap moves the checkpoint, and a
 * projector whose checkpoint was moved reads it again.
 *
 * @throws Error for an unknown read model, one being rebuilt already, or when the signal aborts
 */
export async function rebuildReadModel(
  name: string,
  options: RebuildOptions,
): Promise<RebuildProgress> {
  const models = options.readModels ?? allReadModels;
  const model = models.find((each) => each.name === name);
  if (model === undefined) {
    const names = models.map((each) => each.name).join(', ');
    throw new Error(`There is no read model ${name}; there are ${names}.`);
  }
  return options.database.connection().execute(async (held) => {
    const lock = `tamga-rebuild-${name}`;
    const { rows } = await sql<{ locked: boolean }>`
      select pg_try_advisory_lock(hashtextextended(${lock}, 0)) as locked
    `.execute(held);
    if (rows[0]?.locked !== true) throw new Error(`${name} is being rebuilt already.`);
    try {
      return await rebuild(model, held, options);
    } finally {
      await sql`select pg_advisory_unlock(hashtextextended(${lock}, 0))`.execute(held);
    }
  });
}

/** Runs statements on a connection; the one that runs is cancelled when `signal` aborts: an index may take minutes. */
async function cancelledBy(
  signal: AbortSignal,
  database: Kysely<Database>,
  held: Kysely<Database>,
  work: (connection: Kysely<Database>) => Promise<void>,
): Promise<void> {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(held);
  let cancelling: Promise<unknown> = Promise.resolve();
  function cancel() {
    const cancelled = sql`select pg_cancel_backend(${rows[0]?.pid})`.execute(database);
    cancelling = cancelled.catch(() => undefined);
  }
  signal.throwIfAborted();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    await work(held);
  } finally {
    signal.removeEventListener('abort', cancel);
    await cancelling;
  }
}

async function rebuild(
  model: AnyReadModel,
  held: Kysely<Database>,
  options: RebuildOptions,
): Promise<RebuildProgress> {
  const { database, eventStore, vault, isScratch = false } = options;
  const { signal = new AbortController().signal } = options;
  const { name } = model;
  const side = sideTableOf(model);
  const leftOut = await readLeftOut(database, name);
  const keyOf = keyOfRow(model);
  let position: bigint | null = null;
  let tallies = createTallySums(model);
  let events = 0;

  function advance(batch: readonly RecordedEvent[], next: bigint) {
    position = next;
    events += batch.length;
    options.onProgress?.({ name, events, position });
  }

  /** False for parked events, which are retried afterwards, and for skipped ones. */
  function isCounted(recorded: RecordedEvent): boolean {
    if (leftOut.skipped.has(recorded.position.toString())) return false;
    if (leftOut.parkedFrom.size === 0) return true;
    const from = leftOut.parkedFrom.get(keyOf(recorded));
    return from === undefined || recorded.position < BigInt(from);
  }

  /** Projects everything up to `target`, and nothing after it: counters that are kept are the projector's to count. */
  async function takeIn(
    target: bigint | null,
    write: (batch: readonly RecordedEvent[]) => Promise<void>,
  ): Promise<void> {
    if (target === null || (position !== null && position >= target)) return;
    const reached = new AbortController();
    const onBatch = async (all: readonly RecordedEvent[], next: bigint) => {
      if (reached.signal.aborted) return;
      const batch = all.filter((event) => event.position <= target && isCounted(event));
      await write(batch);
      advance(batch, next > target ? target : next);
      if (next >= target) reached.abort();
    };
    const onCaughtUp = () => reached.abort();
    await follow(
      eventStore,
      {
        after: position,
        categories: categoriesOf(model),
        withoutPersonalData: model.encrypt === undefined,
        keepUndecodable: true,
        maxBatch,
        onBatch,
        onCaughtUp,
      },
      AbortSignal.any([reached.signal, signal]),
    );
    signal.throwIfAborted();
  }

  /** Final rows are written to the table at once; the others are kept in memory until the end. */
  async function copyIn(isFinal: (row: AnyRow) => boolean): Promise<void> {
    const open = new Map<string, AnyRow>();
    let ending = Promise.resolve();
    const load = (keys: readonly string[]) => {
      const found = new Map<string, AnyRow>();
      for (const key of keys) {
        const row = open.get(key);
        if (row !== undefined) found.set(key, row);
      }
      return Promise.resolve(found);
    };

    /** A batch, a transaction: one of hours would keep the vacuum from whatever died meanwhile, in every table. */
    async function add(rows: readonly AnyRow[]): Promise<void> {
      const copy = await options.bulkWriter.open(side, Object.keys(model.columns));
      try {
        await copy.write(rows.map((row) => toCells(model, row)));
        await ending;
      } catch (error) {
        await copy.abort();
        throw error;
      }
      ending = copy.end();
      // Awaited with the next batch, which is folded meanwhile.
      ending.catch(() => undefined);
    }

    try {
      await takeIn(await eventStore.head(), async (batch) => {
        const ended: AnyRow[] = [];
        const changes = await foldBatch(model, batch, load, vault);
        tallies.add(changes);
        for (const [key, { after, isArchived }] of changes) {
          if (isFinal(after)) {
            open.delete(key);
            if (!isArchived) ended.push(after);
          } else open.set(key, after);
        }
        if (ended.length > 0) await add(ended);
      });
      await add([...open.values()]);
    } finally {
      await ending;
    }
  }

  /** Projects the rest of the log row by row. */
  function upsertIn(connection: Kysely<Database>, target: bigint | null): Promise<void> {
    return takeIn(target, async (batch) => {
      const load = (keys: readonly string[]) => loadRows(connection, model, side, keys);
      const changes = await foldBatch(model, batch, load, vault);
      const stored = [...changes.values()].filter(({ isArchived }) => !isArchived);
      const rows = stored.map(({ after }) => after);
      await upsertRows(connection, model, side, rows);
      tallies.add(changes);
    });
  }

  /** Projects newer events until few are left for the swap, which stops the projector. */
  async function comeClose(): Promise<void> {
    for (let before = -Infinity; events - before > maxBatch;) {
      before = events;
      await upsertIn(database, await eventStore.head());
    }
  }

  /**
   * The locks stop the projector meanwhile, so that no visible row is lost; in its own order, the table's before the
   * checkpoint's.
   */
  async function swap(transaction: Transaction<Database>) {
    await sql`select set_config('lock_timeout', ${`${swapLockMs}ms`}, true)`.execute(transaction);
    await sql`lock table ${sql.table(model.table)} in share row exclusive mode`.execute(
      transaction,
    );
    const live = await transaction
      .selectFrom('checkpoint')
      .select('position')
      .where('name', '=', name)
      .forUpdate()
      .executeTakeFirstOrThrow();
    if ((await readLeftOut(transaction, name)).asText !== leftOut.asText) {
      throw new Error(`Events of ${name} were parked or retried meanwhile. Run the rebuild again.`);
    }
    await upsertIn(transaction, live.position);
    await swapTables(transaction, model);
    await replaceTallies(transaction, name, tallies.growth);
    await transaction
      .updateTable('checkpoint')
      .set({ position: later(position, live.position), fold: foldOf(model) })
      .where('name', '=', name)
      .execute();
  }

  /** @returns false while the table is kept */
  async function trySwap(): Promise<boolean> {
    if (!isScratch && (await isKeptForLong(database, model))) return false;
    const before: bigint | null = position;
    const talliesBefore = tallies.copy();
    try {
      await database.transaction().execute(swap);
      return true;
    } catch (error) {
      if (!isLockRefused(error)) throw error;
      position = before;
      tallies = talliesBefore;
      return false;
    }
  }

  // Makes its row where there is none: the swap moves it.
  await readCheckpoint(database, name);
  await createSideTable(database, model, !isScratch && model.byTime === true);
  if (model.isFinal !== undefined) await copyIn(model.isFinal);
  await cancelledBy(signal, database, held, (connection) => indexSideTable(connection, model));
  for (let tries = 1; ; tries += 1) {
    await comeClose();
    signal.throwIfAborted();
    if (await trySwap()) return { name, events, position };
    if (options.signal === undefined && tries >= swapAttempts) {
      throw new Error(
        `${name} was rebuilt, but its table is kept by a transaction, such as a backup. Run the rebuild again afterwards.`,
      );
    }
    await pause(options.swapPauseMs ?? swapPauseMs, signal);
  }
}

/** Positions of skipped events, and the first parked position of each row that waits. */
async function readLeftOut(database: Kysely<Database>, name: string) {
  const { rows } = await sql<{ row_key: string; position: bigint; is_skipped: boolean }>`
    select row_key, min(position) as position, skipped_at is not null as is_skipped
    from parked_event where read_model = ${name}
    group by row_key, skipped_at is not null, case when skipped_at is null then 0 else position end
    order by position, is_skipped
  `.execute(database);
  const of = (isSkipped: boolean) => rows.filter((row) => row.is_skipped === isSkipped);
  return {
    /** For comparison. */
    asText: rows.map((row) => `${row.row_key} ${row.position} ${row.is_skipped}`).join('\n'),
    skipped: new Set(of(true).map(({ position }) => position.toString())),
    parkedFrom: new Map(of(false).map((row) => [row.row_key, row.position.toString()])),
  };
}

function later(left: bigint | null, right: bigint | null): bigint | null {
  if (left === null || right === null) return left ?? right;
  return left > right ? left : right;
}
