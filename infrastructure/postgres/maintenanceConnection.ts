import type { Kysely } from 'kysely';
import type { BulkWriter } from '../../application/ports/bulkWriter.ts';
import { createCopyWriter } from './copyWriter.ts';
import { createDatabase, createPool } from './pool.ts';

/** Connections for migrations and rebuilds. */
export interface MaintenanceConnection<Schema> {
  readonly database: Kysely<Schema>;
  readonly bulkWriter: BulkWriter;
}

/** Runs work on connections without a statement timeout; closes them afterwards. */
export async function withMaintenanceConnection<Schema>(
  url: string,
  work: (resources: MaintenanceConnection<Schema>) => Promise<unknown>,
): Promise<void> {
  const pool = createPool({ url, max: 4, applicationName: 'tamga maintenance' });
  const database = createDatabase<Schema>(pool);
  try {
    await work({ database, bulkWriter: createCopyWriter({ pool }) });
  } finally {
    await database.destroy();
  }
}
