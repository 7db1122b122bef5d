import { type Kysely, sql } from 'kysely';
import type { Checkpoints } from '../../application/reactors/ports/checkpoints.ts';
import type { Database } from '../database.ts';

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
    // In the order of their names, in which other processes lock the rows as well.
    const moves = waiting.sort((one, other) => (one.name < other.name ? -1 : 1));
    waiting = [];
    try {
      const moved = await moveCheckpoints(database, moves);
      for (const { name, resolve } of moves) resolve(moved.has(name));
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

async function moveCheckpoints(
  database: Kysely<Database>,
  moves: readonly Move[],
): Promise<ReadonlySet<string>> {
  const { rows } = await sql<{ moved: readonly string[] }>`
    with moved as (
      update checkpoint set position = move.position, moved_at = now()
      from unnest(
        ${moves.map(({ name }) => name)}::text[],
        ${moves.map(({ expected }) => expected)}::bigint[],
        ${moves.map(({ position }) => position)}::bigint[]
      ) as move (name, expected, position)
      where checkpoint.name = move.name and checkpoint.position is not distinct from move.expected
      returning checkpoint.name
    )
    select array(select name from moved) as moved, set_config('synchronous_commit', 'off', true)
  `.execute(database);
  return new Set(rows[0]?.moved);
}

/** Checkpoints of reactors, stored in the table `checkpoint`. */
export function createCheckpoints(
  database: Kysely<Database>,
  { move } = createCheckpointMoves(database),
): Checkpoints {
  return { load: (name) => readCheckpoint(database, name), save: move };
}
