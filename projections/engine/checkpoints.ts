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

/**
 * Advances a checkpoint by compare-and-set; false when it is not at `expected`: another process took over or a rebuild
 * swapped tables. The commit is asynchronous: a checkpoint lost in a crash of the database is projected, or reacted to,
 * again.
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

/** Checkpoints of reactors, stored in the table `checkpoint`. */
export function createCheckpoints(database: Kysely<Database>): Checkpoints {
  return {
    load: (name) => readCheckpoint(database, name),
    save: (name, expected, position) => moveCheckpoint(database, name, expected, position),
  };
}
