import {
  createPostgresEventLog,
  type PostgresEventLog,
  type PostgresEventLogOptions,
} from '../../infrastructure/eventstore/postgresEventLog.ts';
import { migrate } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { freshDatabase } from './postgres.ts';

/** A fresh database on the newest schema; returns its URL. */
export async function migratedDatabase(): Promise<string> {
  const url = await freshDatabase();
  await migrateUrl(url);
  return url;
}

/** Brings the database at `url` to the newest schema. */
export async function migrateUrl(url: string): Promise<void> {
  const database = createDatabase<unknown>(createPool({ url, max: 1 }));
  await migrate(database);
  await database.destroy();
}

/** A started PostgreSQL event log; several on one URL stand for several processes. */
export async function startPostgresEventLog(
  options: PostgresEventLogOptions,
): Promise<PostgresEventLog> {
  const log = createPostgresEventLog(options);
  await log.start();
  return log;
}
