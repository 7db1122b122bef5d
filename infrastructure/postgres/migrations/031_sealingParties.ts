import { type Kysely, type Migration, sql } from 'kysely';

async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('relying_party_view')
    .addColumn('seals_for', 'jsonb', (column) => column.notNull().defaultTo(sql`'[]'::jsonb`))
    .execute();
}

/** Organizations that relying parties may seal for; those registered before have none yet. */
export const sealingParties: Migration = { up };
