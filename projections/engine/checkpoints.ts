import { type Kysely, sql } from 'kysely';
import type { Checkpoints } from '../../application/reactors/ports/checkpoints.ts';
import type { Database } from '../database.ts';
import type { RecordedEvent } from '../../application/ports/eventStore.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { ProjectionProgress } from '../../application/ports/projectionProgress.ts';
import { categoryOf } from '../../domain/shared/streams.ts';
import type { AnyReadModel } from './readModel.ts';
import { readModels } from '../readModels.ts';

/** Reads the checkpoint of `name`; creates its row when missing. */
export async function readCheckpoint(
  database: Kysely<Database>,
  name: string,
): Promise<bigint | null> {
  const found = await database
    .selectFrom('checkpoint')
    .select('position')
    .where('name', '=', name)
    .executeTakeFirst();
  if (found !== undefined) return found.position;
  await database
    .insertInto('checkpoint')
    .values({ name, position: null })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return readCheckpoint(database, name);
}

interface Move {
  readonly name: string;
  readonly expected: bigint | null;
  readonly position: bigint;
  readonly resolve: (moved: boolean) => void;
  readonly reject: (cause: unknown) => void;
}

/** Advances checkpoints of read models and reactors. */
export interface CheckpointMoves {
  /**
   * Advances by compare-and-set; false when the checkpoint is not at `expected`: another process took over or a rebuild
   * swapped tables.
   *
   * @throws Error when somebody else is writing it just now, or the database fails: to be tried again
   */
  move(name: string, expected: bigint | null, position: bigint): Promise<boolean>;
}

/**
 * Makes the moves of one turn of the event loop by one statement. Its commit is asynchronous: a checkpoint lost in a crash
 * of the database is projected, or reacted to, again.
 */
export function createCheckpointMoves(database: Kysely<Database>): CheckpointMoves {
  let waiting: Move[] = [];

  async function moveAll(): Promise<void> {
    const moves = waiting;
    waiting = [];
    try {
      const { moved, free } = await moveCheckpoints(database, moves);
      for (const { name, resolve, reject } of moves) {
        if (free.includes(name)) resolve(moved.includes(name));
        else reject(new Error(`The checkpoint of ${name} is being written by somebody else.`));
      }
    } catch (error) {
      for (const { reject } of moves) reject(error);
    }
  }

  return {
    move: (name, expected, position) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(() => void moveAll());
        waiting.push({ name, expected, position, resolve, reject });
      }),
  };
}

/**
 * Moves checkpoints that nobody has locked: a rebuild, which holds one of them, must not hold up all others.
 *
 * @returns the names of those that were free, and of those that were at the expected position
 */
async function moveCheckpoints(
  database: Kysely<Database>,
  moves: readonly Move[],
): Promise<{ readonly moved: readonly string[]; readonly free: readonly string[] }> {
  const { rows } = await sql<{ moved: readonly string[]; free: readonly string[] }>`
    with free as (
      select checkpoint.name, move.position,
        checkpoint.position is not distinct from move.expected as is_expected
      from checkpoint join unnest(
        ${moves.map(({ name }) => name)}::text[],
        ${moves.map(({ expected }) => expected)}::bigint[],
        ${moves.map(({ position }) => position)}::bigint[]
      ) as move (name, expected, position) on checkpoint.name = move.name
      for update of checkpoint skip locked
    ), moved as (
      update checkpoint set position = free.position, moved_at = now()
      from free where checkpoint.name = free.name and free.is_expected
      returning checkpoint.name
    )
    select array(select name from moved) as moved, array(select name from free) as free,
      set_config('synchronous_commit', 'off', true)
  `.execute(database);
  return rows[0] ?? { moved: [], free: [] };
}

/** Checkpoints of reactors, stored in the table `checkpoint`. */
export function createCheckpoints(
  database: Kysely<Database>,
  { move } = createCheckpointMoves(database),
): Checkpoints {
  return { load: (name) => readCheckpoint(database, name), save: move };
}

/** Progress of a projector in the same process. */
export interface LocalProgress {
  /** Lowest position of all read models; null when another process projects, or nothing is projected yet. */
  position(): bigint | null;
  /** Resolves when `position()` may have grown, or after `milliseconds`. */
  moved(milliseconds: number): Promise<void>;
}

export interface ProgressOptions {
  readonly database: Kysely<Database>;
  /** The projector of this process; omitted: none. */
  readonly local?: LocalProgress;
  /** Polling interval of checkpoints while another process projects, milliseconds; default 25. */
  readonly pollMs?: number;
  /** Names of the awaited read models; default: all except background ones. */
  readonly names?: readonly string[];
}

const defaultTimeoutMs = 5000;

/** Waits for read models, projected by any process. */
export function createProjectionProgress({
  database,
  local,
  pollMs = 25,
  names = foreground(readModels),
}: ProgressOptions): ProjectionProgress {
  async function storedPosition(): Promise<bigint | null> {
    const rows = await database
      .selectFrom('checkpoint')
      .select('position')
      .where('name', 'in', names)
      .where('position', 'is not', null)
      .execute();
    const positions = rows.map((row) => row.position ?? 0n);
    return positions.length < names.length ? null : least(positions);
  }

  async function isProjected(position: bigint): Promise<boolean> {
    const reached = local?.position() ?? (await storedPosition());
    return reached !== null && reached >= position;
  }

  return {
    async untilProjected(position, timeoutMs = defaultTimeoutMs) {
      const deadline = performance.now() + timeoutMs;
      while (!(await isProjected(position))) {
        const left = deadline - performance.now();
        if (left <= 0) throw new Unavailable('database', new Error('The read models lag behind.'));
        const wait = Math.min(left, pollMs);
        await (local === undefined
          ? new Promise((resolve) => setTimeout(resolve, wait))
          : local.moved(wait));
      }
    },
  };
}

/** Names of the read models that callers wait for. */
function foreground(models: readonly AnyReadModel[]): readonly string[] {
  return models.filter((model) => model.inBackground !== true).map(({ name }) => name);
}

/** The minimum; null for none. */
export function least(positions: readonly bigint[]): bigint | null {
  return positions.reduce<bigint | null>(
    (smallest, each) => (smallest === null || each < smallest ? each : smallest),
    null,
  );
}

/** State of one projection. RETRYING: outage of a dependency; it continues by itself. */
export type ProjectionPhase = 'STANDBY' | 'RUNNING' | 'RETRYING' | 'FAILED';

export interface ProjectionStatus {
  readonly name: string;
  readonly state: ProjectionPhase;
  /** Log position the read model has reached; null: none yet, or standing by. */
  readonly position: bigint | null;
  /** Class of the error that stopped it, and the event at fault, if any. Null: nothing did. */
  readonly fault: { readonly error: string; readonly eventId: string | null } | null;
  /** Age of the last projected event, while more are pending, milliseconds; 0 when caught up. */
  readonly lagMs: number;
}

/** The checkpoint was moved by another process or a rebuild. */
export class Superseded extends Error {
  override readonly name = 'Superseded';
}

/** An event that cannot be projected. */
export class PoisonEvent extends Error {
  override readonly name = 'PoisonEvent';
  readonly eventId: string;

  constructor(eventId: string, cause: unknown) {
    super('An event cannot be projected.', { cause });
    this.eventId = eventId;
  }
}

/** Step after a failure: begin again, begin again after a pause, or wait for an operator. */
export type Recovery =
  | { readonly kind: 'again' }
  | { readonly kind: 'pause'; readonly tries: number }
  | { readonly kind: 'fail'; readonly cause: unknown; readonly eventId: string | null };

/** State of a projection: told what happened, it says what to do next. Does nothing itself. */
export class ProjectionState {
  readonly #name: string;
  #phase: ProjectionPhase = 'STANDBY';
  #position: bigint | null = null;
  #newestTime: string | null = null;
  #isCaughtUp = false;
  #tries = 0;
  #hasAdvanced = false;
  #fault: ProjectionStatus['fault'] = null;
  /** A new release or a rebuild may be able to project parked events. */
  #triesAll = true;

  constructor(name: string) {
    this.#name = name;
  }

  /** Log position the read model has reached. */
  get position(): bigint | null {
    return this.#position;
  }

  /** True when every parked row is tried again, not only those that an operator wants to be. */
  get triesAll(): boolean {
    return this.#triesAll;
  }

  /** Notes that it follows the log from the checkpoint that is stored. */
  began(stored: bigint | null): void {
    this.#phase = 'RUNNING';
    this.#position = stored;
    this.#fault = null;
  }

  /** Notes that everything up to a position was projected; `newestTime`: of its last event, if it had any. */
  advanced(position: bigint, newestTime: string | null): void {
    this.#position = position;
    this.#newestTime = newestTime ?? this.#newestTime;
    this.#hasAdvanced = true;
  }

  /** Notes that events are there to be projected. */
  fellBehind(): void {
    this.#isCaughtUp = false;
  }

  caughtUp(): void {
    this.#isCaughtUp = true;
  }

  /** @param isOutage whether a dependency is away, so that it goes on by itself */
  failed(cause: unknown, isOutage: boolean): Recovery {
    this.#tries = this.#hasAdvanced ? 1 : this.#tries + 1;
    this.#hasAdvanced = false;
    this.#triesAll = false;
    if (cause instanceof Superseded) return { kind: 'again' };
    if (isOutage) {
      this.#phase = 'RETRYING';
      return { kind: 'pause', tries: this.#tries };
    }
    this.#phase = 'FAILED';
    this.#triesAll = true;
    const [reason, eventId] =
      cause instanceof PoisonEvent ? [cause.cause, cause.eventId] : [cause, null];
    this.#fault = { error: reason instanceof Error ? reason.name : typeof reason, eventId };
    return { kind: 'fail', cause: reason, eventId };
  }

  /** Notes that another process has it. */
  stoodBy(): void {
    this.#phase = 'STANDBY';
    this.#position = null;
    this.#newestTime = null;
    this.#isCaughtUp = false;
    this.#tries = 0;
    this.#fault = null;
    this.#triesAll = true;
  }

  status(now: Date): ProjectionStatus {
    const isBehind = !this.#isCaughtUp && this.#newestTime !== null;
    const lagMs = isBehind ? Math.max(0, now.getTime() - Date.parse(this.#newestTime ?? '')) : 0;
    const fault = this.#fault;
    return { name: this.#name, state: this.#phase, position: this.#position, fault, lagMs };
  }
}

/**
 * Pace of a projection: events of a batch at most, and milliseconds after it in which more gather, unless somebody waits
 * for them: under load many appends share one transaction, while an event after a quiet moment is projected at once.
 */
export interface Pace {
  readonly maxBatch: number;
  readonly gatherMs: (projected: readonly Pick<RecordedEvent, 'stream'>[]) => number;
}

const isOfSession = ({ stream }: Pick<RecordedEvent, 'stream'>) => categoryOf(stream) === 'session';

const paces = {
  ordinary: { maxBatch: 2000, gatherMs: ({ length }) => Math.min(25, 5 + length / 4) },
  /** By night, too, a batch costs as much for one event as for many. */
  busy: { maxBatch: 2000, gatherMs: () => 75 },
  /** Logins gather as by night; what an operator did is shown soon after what they did before. */
  inBackground: {
    maxBatch: 5000,
    gatherMs: (projected) => {
      const gathered = 5 + projected.length * 2;
      return Math.min(250, projected.every(isOfSession) ? Math.max(100, gathered) : gathered);
    },
  },
} satisfies Record<string, Pace>;

export function paceOf({
  inBackground,
  isBusy,
}: Pick<AnyReadModel, 'inBackground' | 'isBusy'>): Pace {
  if (inBackground === true) return paces.inBackground;
  return isBusy === true ? paces.busy : paces.ordinary;
}
