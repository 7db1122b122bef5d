import {
  createPostgresEventLog,
  type PostgresEventLog,
} from '../../../infrastructure/eventstore/postgresEventLog.ts';
import { migrate } from '../../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../../infrastructure/postgres/pool.ts';

/** Migrates a database. */
export async function migrateAt(databaseUrl: string): Promise<void> {
  const database = createDatabase<unknown>(createPool({ url: databaseUrl, max: 2 }));
  try {
    await migrate(database);
  } finally {
    await database.destroy();
  }
}

/** Opens and starts the event log on PostgreSQL as the service does, on a migrated database. */
export async function openBenchLog(databaseUrl: string): Promise<PostgresEventLog> {
  await migrateAt(databaseUrl);
  const log = createPostgresEventLog({ url: databaseUrl });
  await log.start();
  return log;
}
