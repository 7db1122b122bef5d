import { type Kysely, sql } from 'kysely';
import type { Checkpoints } from '../application/ports/checkpoints.ts';
import type { Database } from './database.ts';

/** Where `name` is in the log; makes its row when there is none. */
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

/**
 * Moves a checkpoint that is at `expected`; false when it is not: then another process took over or a rebuild swapped
 * tables.
 *
 * The commit is asynchronous: what is lost in a crash of the database is projected, or reacted to, again.
 */
export async function moveCheckpoint(
  database: Kysely<Database>,
  name: string,
  expected: bigint | null,
  position: bigint,
): Promise<boolean> {
  const { rows } = await sql<{ moved: boolean }>`
    with moved as (
      update checkpoint set position = ${position}, moved_at = now()
      where name = ${name} and position is not distinct from ${expected}::bigint
      returning 1
    )
    select exists (select from moved) as moved, set_config('synchronous_commit', 'off', true)
  `.execute(database);
  return rows[0]?.moved === true;
}

/** Checkpoints kept in the table `checkpoint`, for reactors. */
export function createCheckpoints(database: Kysely<Database>): Checkpoints {
  return {
    load: (name) => readCheckpoint(database, name),
    save: (name, expected, position) => moveCheckpoint(database, name, expected, position),
  };
}
