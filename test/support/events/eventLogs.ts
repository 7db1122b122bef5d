import pg from 'pg';
import type { LoggedEvent } from '../../../application/ports/eventLog.ts';
import {
  createPostgresEventLog,
  type PostgresEventLog,
  type PostgresEventLogOptions,
} from '../../../infrastructure/eventstore/postgresEventLog.ts';
import { migrate } from '../../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../../infrastructure/postgres/pool.ts';
import { createEventStoreDbEventLog } from '../../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { freshDatabase } from '../programs/postgres.ts';
import { eventStoreUrl } from '../installation/serviceProcess.ts';

let migrated: Promise<string> | undefined;

/** A fresh database on the newest schema; returns its URL. */
export async function migratedDatabase(): Promise<string> {
  return freshDatabase(await (migrated ??= migratedTemplate()));
}

/** The name of a database the schema was made in: copying one takes a quarter of the time of migrating another. */
async function migratedTemplate(): Promise<string> {
  const url = await freshDatabase();
  await migrateUrl(url);
  // Null is taken for the same: its copies are databases of their own, none of which was read from a dump.
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('update known_server set database = null');
  await client.end();
  return new URL(url).pathname.slice(1);
}

/** Brings the database at `url` to the newest schema. */
export async function migrateUrl(url: string): Promise<void> {
  const database = createDatabase<unknown>(createPool({ url, max: 1 }));
  await migrate(database);
  await database.destroy();
}

/** Takes the events after a position out of a log in PostgreSQL, as if it had never received them. */
export async function loseEventsAfter(client: Pick<pg.Client, 'query'>, position: bigint) {
  const after = [String(position)];
  await client.query('delete from event where position > $1', after);
  await client.query('delete from stream_head where first_position > $1', after);
  await client.query(
    `update stream_head h set (revision, last_position) =
       (select max(e.revision), max(e.position) from event e where e.stream = h.stream)
     where last_position > $1`,
    after,
  );
}

/** A started PostgreSQL event log; several on one URL stand for several processes. */
export async function startPostgresEventLog(
  options: PostgresEventLogOptions,
): Promise<PostgresEventLog> {
  const log = createPostgresEventLog(options);
  await log.start();
  return log;
}

/** The log of an installation, where this run keeps it, for a process of its own: this one. Not started. */
export function installationLog(databaseUrl: string) {
  return eventStoreUrl === undefined
    ? createPostgresEventLog({ url: databaseUrl })
    : createEventStoreDbEventLog({ url: eventStoreUrl });
}

/** Events of these categories in an installation's log, in order. */
export async function loggedEvents(
  databaseUrl: string,
  categories: readonly string[],
): Promise<readonly LoggedEvent[]> {
  const log = installationLog(databaseUrl);
  await log.start();
  const events: LoggedEvent[] = [];
  await new Promise<void>((onCaughtUp) => {
    log.subscribe({
      after: null,
      categories,
      onCaughtUp,
      onBatch: (batch) => {
        events.push(...batch);
        return Promise.resolve();
      },
    });
  });
  await log.stop();
  return events;
}
