import type { Kysely } from 'kysely';
import type { BulkWriter } from '../../application/ports/bulkWriter.ts';
import { createCopyWriter } from './copyWriter.ts';
import { createDatabase, createPool } from './pool.ts';

/** What schema changes and rebuilds work with. */
export interface UnhurriedDatabase<Schema> {
  readonly database: Kysely<Schema>;
  readonly bulkWriter: BulkWriter;
}

/** Runs work on connections of its own, whose statements may take any time; closes them afterwards. */
export async function unhurried<Schema>(
  url: string,
  work: (resources: UnhurriedDatabase<Schema>) => Promise<void>,
): Promise<void> {
  const pool = createPool({ url, max: 4, applicationName: 'tamga maintenance' });
  const database = createDatabase<Schema>(pool);
  try {
    await work({ database, bulkWriter: createCopyWriter({ pool }) });
  } finally {
    await database.destroy();
  }
}
