import type { Kysely } from 'kysely';
import type pg from 'pg';
import type { BulkWriter } from '../../application/ports/bulkWriter.ts';
import { createCopyWriter } from './copyWriter.ts';
import { createDatabase, createPool } from './pool.ts';

/** Connections for migrations and rebuilds. */
export interface MaintenanceConnection<Schema> {
  readonly database: Kysely<Schema>;
  readonly bulkWriter: BulkWriter;
}

/**
 * Runs work on connections without a statement timeout; closes them afterwards.
 *
 * @param signal ends the connections at once, and the statements in progress with them
 */
export async function withMaintenanceConnection<Schema>(
  url: string,
  work: (resources: MaintenanceConnection<Schema>) => Promise<void>,
  signal?: AbortSignal,
): Promise<void> {
  const pool = createPool({ url, max: 4, applicationName: 'tamga maintenance' });
  if (signal !== undefined) {
    pool.on('connect', (client) => {
      const end = () => void (client as unknown as pg.Client).end().catch(() => undefined);
      signal.addEventListener('abort', end);
      client.on('end', () => signal.removeEventListener('abort', end));
      client.query('set client_connection_check_interval = 1000').catch(() => undefined);
    });
  }
  const database = createDatabase<Schema>(pool);
  try {
    await work({ database, bulkWriter: createCopyWriter({ pool }) });
  } finally {
    await database.destroy();
  }
}
