import { type Kysely, type Migration, Migrator, sql } from 'kysely';
import { baseline } from './migrations/001_baseline.ts';
import { restoredBackup } from './migrations/002_restored_backup.ts';

/** All migrations by name, applied in the order of their names; frozen once released. */
const migrations: Readonly<Record<string, Migration>> = {
  '001_baseline': baseline,
  '002_restored_backup': restoredBackup,
};

const noAnswer = 'The database (SVC_DATABASE_URL) does not answer, or refuses this user.';

/** The database has a schema that this program does not know. */
class UnknownSchema extends Error {
  override readonly name = 'UnknownSchema';
}

/**
 * Checks that this program can bring the database to its schema. Changes nothing.
 *
 * @returns names of the migrations that were applied
 * @throws UnknownSchema for one of a newer release, or of a build before the first one
 */
export async function assertKnownSchema(database: Kysely<unknown>): Promise<readonly string[]> {
  const { rows: tables } = await sql`
    select where to_regclass('kysely_migration') is not null`.execute(database);
  if (tables.length === 0) return [];
  const { rows } = await sql<{ name: string }>`
    select name from kysely_migration order by name`.execute(database);
  const applied = rows.map(({ name }) => name);
  const unknown = applied.filter((name) => !Object.hasOwn(migrations, name));
  if (unknown.length === 0) return applied;
  throw new UnknownSchema(
    applied.includes('001_baseline')
      ? `The database (SVC_DATABASE_URL) has the schema of a newer release: this one does not know ${unknown.join(', ')}. ` +
          'Start the newer release, or restore the backup from before the upgrade.'
      : 'The database (SVC_DATABASE_URL) has the schema of a build before the first release, which is not brought up ' +
          'to date. Name an empty database; for the one that comes with the program, move SVC_DATA_DIR out of the way.',
  );
}

/**
 * Brings the database to the newest schema. Safe to call from several processes at once.
 *
 * @throws UnknownSchema; Error that says which migration failed, or why the database does not answer
 */
export async function migrate(database: Kysely<unknown>): Promise<void> {
  const applied = await assertKnownSchema(database).catch((cause: unknown) => {
    throw cause instanceof UnknownSchema ? cause : new Error(noAnswer, { cause });
  });
  // The migrator describes every column of the database, twice, before it finds that there is nothing to do.
  if (Object.keys(migrations).every((name) => applied.includes(name))) return;
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed = results?.find((result) => result.status === 'Error')?.migrationName;
    const what =
      failed === undefined
        ? noAnswer
        : `The database schema could not be brought up to date: migration ${failed} failed.`;
    throw new Error(what, { cause: error });
  }
}
