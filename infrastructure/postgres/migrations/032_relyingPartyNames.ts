import { type Kysely, type Migration, sql } from 'kysely';

async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('relying_party_view')
    .addColumn('aliases', 'jsonb', (column) => column.notNull().defaultTo(sql`'[]'::jsonb`))
    .addColumn('other_names', 'boolean', (column) => column.notNull().defaultTo(true))
    .execute();
}

/** Other names of relying parties; those registered before may send any, shown after the registered one. */
export const relyingPartyNames: Migration = { up };
