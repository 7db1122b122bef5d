import { type Kysely, type Migration, Migrator } from 'kysely';
import { baseline } from './migrations/001_baseline.ts';

/** All migrations by name, applied in the order of their names; frozen once released. */
const migrations: Readonly<Record<string, Migration>> = {
  '001_baseline': baseline,
};

/** Brings the database to the newest schema. Safe to call from several processes at once. */
export async function migrate(database: Kysely<unknown>): Promise<void> {
  const migrator = new Migrator({
    db: database,
    provider: { getMigrations: () => Promise.resolve({ ...migrations }) },
  });
  const { error, results } = await migrator.migrateToLatest();
  if (error !== undefined) {
    const failed = results?.find((result) => result.status === 'Error')?.migrationName;
    const what =
      failed === undefined
        ? 'The database (SVC_DATABASE_URL) does not answer, or refuses this user.'
        : `The database schema could not be brought up to date: migration ${failed} failed.`;
    throw new Error(what, { cause: error });
  }
}
