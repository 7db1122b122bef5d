import {
  createPostgresEventLog,
  type PostgresEventLog,
} from '../../infrastructure/eventstore/postgresEventLog.ts';
import { migrate } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';

/** Brings a database up to date. */
export async function migrateAt(databaseUrl: string): Promise<void> {
  const database = createDatabase<unknown>(createPool({ url: databaseUrl, max: 2 }));
  try {
    await migrate(database);
  } finally {
    await database.destroy();
  }
}

/** The event log on PostgreSQL as the service runs it, started, on a database it has brought up to date. */
export async function openBenchLog(databaseUrl: string): Promise<PostgresEventLog> {
  await migrateAt(databaseUrl);
  const log = createPostgresEventLog({ url: databaseUrl });
  await log.start();
  return log;
}
