import { type Kysely, sql } from 'kysely';
import { runningTableOf } from './compare.ts';
import type { Database } from '../database.ts';
import { readModels } from '../readModels.ts';

/**
 * Copies all read models as of one moment beside empty tables of the same structure.
 * @returns the checkpoint of each
 */
export function takeRunning(
  database: Kysely<Database>,
  schema: string,
): Promise<ReadonlyMap<string, bigint | null>> {
  return database
    .transaction()
    .setIsolationLevel('repeatable read')
    .execute(async (transaction) => {
      const run = (text: string) => sql.raw(text).execute(transaction);
      await sql`create schema ${sql.id(schema)}`.execute(transaction);
      for (const table of ['checkpoint', 'tally', 'parked_event']) {
        await run(`create unlogged table ${schema}.${table} (like public.${table} including all)`);
      }
      // Events left out of the running tables are left out of the replay.
      await run(`insert into ${schema}.parked_event select * from public.parked_event`);
      for (const model of readModels) {
        // A rebuild needs only the primary key; search indexes would cost more than everything else.
        const { table, key } = model;
        const shape = `like public.${table} including defaults including generated`;
        await run(`create unlogged table ${schema}.${table} (${shape}, primary key (${key}))`);
        const running = `${schema}.${runningTableOf(model)}`;
        await run(`create unlogged table ${running} as select * from public.${model.table}`);
        await run(`alter table ${running} add primary key (${model.key})`);
      }
      const { rows } = await sql<{ name: string; position: bigint | null }>`
        select name, position from public.checkpoint`.execute(transaction);
      return new Map(rows.map(({ name, position }) => [name, position]));
    });
}

/** Drops the tables of {@link takeRunning}. */
export async function dropScratch(database: Kysely<Database>, schema: string): Promise<void> {
  await sql`drop schema if exists ${sql.id(schema)} cascade`.execute(database);
}
