import { type Kysely, sql } from 'kysely';
import { backOff, pause, unlessAborted } from '../../application/ports/follow.ts';
import type { Database } from '../database.ts';
import { readCheckpoint } from './checkpoints.ts';
import type { AnyReadModel } from './readModel.ts';

// Versions of the folds that made the rows of read models (ADR 66).

/** Version of a read model's fold in this release. */
export const foldOf = ({ version = 1 }: AnyReadModel) => version;

/** Position of a read model's projection, and the version that made its rows. */
export interface Claimed {
  readonly position: bigint | null;
  /** Lower than that of this release: a rebuild is due. */
  readonly fold: number;
}

/**
 * Takes a read model's table over to project into it. Rows that a newer release made are as old from here on as this
 * release's: the newer one makes them anew when it is back.
 */
export async function claimFold(database: Kysely<Database>, model: AnyReadModel): Promise<Claimed> {
  await readCheckpoint(database, model.name);
  const fold = foldOf(model);
  await sql`
    update checkpoint set fold = ${fold}
    where name = ${model.name} and fold <> ${fold} and (position is null or fold > ${fold})
  `.execute(database);
  return database
    .selectFrom('checkpoint')
    .select(['position', 'fold'])
    .where('name', '=', model.name)
    .executeTakeFirstOrThrow();
}

/** Makes tables of former folds anew. */
export interface FoldUpkeep {
  /**
   * Resolves when the table was made anew, and at once when `signal` aborts: the lock of a read model waits for nothing
   * that reads the log. The present table serves meanwhile.
   */
  makeAnew(model: AnyReadModel, signal: AbortSignal): Promise<void>;
  /** Resolves when what was begun has ended, after the signals of all aborted. */
  ended(): Promise<void>;
}

export interface FoldUpkeepOptions {
  /** Rebuilds a read model beside the present one and swaps them. @throws Error when `signal` aborts */
  readonly rebuild: (name: string, signal: AbortSignal) => Promise<unknown>;
  readonly onBegin: (name: string) => void;
  readonly onDone: (name: string) => void;
  /** Called when it failed; it is tried again. */
  readonly onFailure: (name: string, cause: unknown) => void;
}

/** Longest pause before another try, ms: each reads the whole log. */
const LONGEST_PAUSE_MS = 60_000;

/** One read model at a time: each reads the log from its beginning. */
export function createFoldUpkeep({
  rebuild,
  onBegin,
  onDone,
  onFailure,
}: FoldUpkeepOptions): FoldUpkeep {
  let last: Promise<unknown> = Promise.resolve();

  async function attempt(name: string, signal: AbortSignal): Promise<boolean> {
    const isOver = () => signal.aborted;
    if (isOver()) return true;
    onBegin(name);
    try {
      await rebuild(name, signal);
      onDone(name);
      return true;
    } catch (error) {
      if (!isOver()) onFailure(name, error);
      return isOver();
    }
  }

  return {
    async makeAnew({ name }, signal) {
      for (let tries = 1; ; tries += 1) {
        const attempted = last.then(() => attempt(name, signal));
        last = attempted;
        if ((await unlessAborted(attempted, signal)) !== false) return;
        await pause(Math.min(20 * backOff(tries), LONGEST_PAUSE_MS), signal);
      }
    },
    async ended() {
      await last;
    },
  };
}

/** Interval of looks at what is made anew, ms. */
const LOOK_MS = 250;

/**
 * Waits until every read model is as this release makes it.
 *
 * @param onWaiting called once for each that is not, by name
 * @throws Error when one is of a newer release, or not made anew in time
 */
export async function untilMadeAnew(
  database: Kysely<Database>,
  models: readonly AnyReadModel[],
  timeoutMs: number,
  onWaiting: (name: string) => void,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  const told = new Set<string>();
  for (;;) {
    const rows = await database.selectFrom('checkpoint').select(['name', 'fold']).execute();
    const folds = new Map(rows.map(({ name, fold }) => [name, fold]));
    const newer = models.filter((model) => (folds.get(model.name) ?? 0) > foldOf(model));
    if (newer.length > 0) {
      throw new Error(
        `The running ${namesOf(newer)} are of a newer release: run this command of that release.`,
      );
    }
    const older = models.filter((model) => (folds.get(model.name) ?? 0) < foldOf(model));
    if (older.length === 0) return;
    for (const { name } of older.filter((each) => !told.has(each.name))) {
      told.add(name);
      onWaiting(name);
    }
    if (performance.now() > deadline) {
      throw new Error(
        `${namesOf(older)} are not made anew for this release yet: run this again later. A process of this release does ` +
          'that while it projects.',
      );
    }
    await pause(LOOK_MS);
  }
}

const namesOf = (models: readonly AnyReadModel[]) => models.map(({ name }) => name).join(', ');
