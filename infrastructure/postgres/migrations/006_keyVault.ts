import { type Kysely, type Migration, sql } from 'kysely';

async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('software_key')
    .addColumn('label', 'text', (column) => column.primaryKey())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('public_key', 'bytea', (column) => column.notNull())
    .addColumn('sealed', 'bytea', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .execute();
  await database.schema
    .createTable('ca_certificate')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('certificate', 'bytea', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull().defaultTo(sql`now()`))
    .execute();
}

/** Software keys sealed under the master key, and the certificates of the certification authorities. */
export const keyVault: Migration = { up };
