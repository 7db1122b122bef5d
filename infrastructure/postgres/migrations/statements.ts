import { type Migration, sql } from 'kysely';

/** Migration that executes the statements, in their order. */
export function inStatements(statements: readonly string[]): Migration {
  return {
    async up(database) {
      for (const statement of statements) await sql.raw(statement).execute(database);
    },
  };
}
