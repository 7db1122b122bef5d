import { type Kysely, type Migration, Migrator } from 'kysely';
import { personKeys } from './migrations/002_personKeys.ts';
import { readModels } from './migrations/003_readModels.ts';

/** All migrations by name, applied in the order of their names; frozen once released. */
export const migrations: Readonly<Record<string, Migration>> = {
  '002_personKeys': personKeys,
  '003_readModels': readModels,
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
    throw new Error(`The database schema could not be brought up to date (${failed ?? 'start'}).`, {
      cause: error,
    });
  }
}
