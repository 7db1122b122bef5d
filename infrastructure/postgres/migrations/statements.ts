import { type Migration, sql } from 'kysely';

/** A migration that says whether releases of before can do without what it changes. */
export interface SchemaMigration extends Migration {
  /** Level of the installation that it belongs to: executed when that is reached. Omitted: releases of before run on it. */
  readonly contractsAt?: number;
}

/**
 * Time a statement waits for a lock, ms. Everybody else waits behind it meanwhile: what reads a table for long, such as a
 * backup, would stop the service otherwise.
 */
const LOCK_TIMEOUT_MS = 2000;

/**
 * Migration that adds: releases of before run on its schema, since whatever they write leaves new columns to their
 * defaults and nothing that they use goes. Executed at every start.
 */
export function expand(statements: readonly string[]): SchemaMigration {
  return {
    async up(database) {
      await sql`select set_config('lock_timeout', ${`${LOCK_TIMEOUT_MS}ms`}, true)`.execute(
        database,
      );
      for (const statement of statements) await sql.raw(statement).execute(database);
    },
  };
}

/**
 * Migration that takes away what only releases below a level use. Executed by `./tamga upgrade finish`; the release that
 * brings it runs before it and after it.
 *
 * @param level of the installation, from 2
 */
export function contract(level: number, statements: readonly string[]): SchemaMigration {
  return { ...expand(statements), contractsAt: level };
}
