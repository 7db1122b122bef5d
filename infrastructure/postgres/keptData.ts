import { existsSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import { createOpenDecoding } from '../codec/eventEncoding.ts';
import { developmentDatabase } from '../config/development.ts';
import type { EmbeddedServer } from './embedded.ts';
import { withMaintenanceConnection } from './maintenanceConnection.ts';
import { migrate, UnknownSchema } from './migrate.ts';

/**
 * Brings what an earlier demo left up to date and reads all of it, which is short: a build that cannot would fail later, in
 * the midst of its work, once for each read model and reactor.
 *
 * @throws UndecodableEvent, UnknownSchema, OtherPostgres
 */
export async function expectReadable(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, 'postgres', 'PG_VERSION'))) return;
  const server = await developmentDatabase(dataDir);
  const client = clientOf(server.url);
  try {
    await client.connect();
    await expectColumns(client, server);
    await expectDecodable(client);
  } finally {
    await client.end();
    await server.stop();
  }
}

function clientOf(url: string): pg.Client {
  const client = new pg.Client(url);
  // Uncaught otherwise; the query that waits fails with it.
  client.on('error', () => undefined);
  return client;
}

/** Database with the schema of this build, beside the kept one. */
const MODEL = 'tamga_schema';

/** Compares the tables with those this build makes: an unreleased one may have changed a migration meanwhile. */
async function expectColumns(kept: pg.Client, server: EmbeddedServer): Promise<void> {
  const migrated = (url: string) =>
    withMaintenanceConnection(url, ({ database }) => migrate(database));
  await migrated(server.url);
  // A run that was killed in between left that of its build.
  await kept.query(`drop database if exists ${MODEL} with (force)`);
  const url = await server.createDatabase(MODEL);
  const model = clientOf(url);
  try {
    await migrated(url);
    await model.connect();
    const [wanted, found] = [await columnsOf(model), await columnsOf(kept)];
    const missing = wanted.find((column) => !found.includes(column));
    if (missing !== undefined) throw new UnknownSchema(`There is no column ${missing}.`);
  } finally {
    await model.end();
    await kept.query(`drop database ${MODEL} with (force)`);
  }
}

async function columnsOf(client: pg.Client): Promise<readonly string[]> {
  const { rows } = await client.query<{ readonly name: string }>(`
    select format('%s.%s', relname, attname) as name from pg_attribute join pg_class on attrelid = pg_class.oid
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and attnum > 0
      and not attisdropped`);
  return rows.map(({ name }) => name);
}

async function expectDecodable(client: pg.Client): Promise<void> {
  const { decodeWithoutPersonalData } = createOpenDecoding();
  const { rows } = await client.query<Stored>(
    'select event_id, stream, revision, position, type, data, metadata from event order by position',
  );
  for (const { event_id: id, revision, position, ...stored } of rows) {
    const logged = { ...stored, id, revision: BigInt(revision), position: BigInt(position) };
    decodeWithoutPersonalData(logged);
  }
}

type Stored = Pick<LoggedEvent, 'stream' | 'type' | 'data' | 'metadata'> & {
  readonly event_id: string;
  readonly revision: string;
  readonly position: string;
};
