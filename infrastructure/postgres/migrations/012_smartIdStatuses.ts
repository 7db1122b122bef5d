import type { Kysely, Migration } from 'kysely';

async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('relying_party_view')
    .addColumn('smart_id_statuses', 'boolean', (column) => column.notNull().defaultTo(false))
    .execute();
}

/** Relying parties whose clients expect the HTTP statuses Smart-ID adds. */
export const smartIdStatuses: Migration = { up };
