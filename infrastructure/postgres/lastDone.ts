import { type Kysely, sql } from 'kysely';

/** Work of an operator from time to time that leaves no event: it is of the installation, not of its log. */
export type Chore = 'backup';

/** Notes that it was done at a moment; an earlier one than is known changes nothing. */
export async function noteDone(database: Kysely<unknown>, what: Chore, at: Date): Promise<void> {
  if (!(await isThere(database))) return;
  await sql`
    insert into last_done (what, at) values (${what}, ${at})
    on conflict (what) do update set at = greatest(last_done.at, excluded.at)`.execute(database);
}

/** @returns null: never, as far as this installation knows */
export async function lastDone(database: Kysely<unknown>, what: Chore): Promise<Date | null> {
  if (!(await isThere(database))) return null;
  const { rows } = await sql<{ readonly at: Date }>`
    select at from last_done where what = ${what}`.execute(database);
  return rows[0]?.at ?? null;
}

/** False in a schema of the former release. */
async function isThere(database: Kysely<unknown>): Promise<boolean> {
  const { rows } = await sql`select where to_regclass('last_done') is not null`.execute(database);
  return rows.length > 0;
}
