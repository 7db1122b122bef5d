import type { Kysely, Migration } from 'kysely';

async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('organization_registry')
    .addColumn('register', 'text', (column) => column.primaryKey())
    .addColumn('core_id', 'int8')
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('legal_name', 'text', (column) => column.notNull())
    .addColumn('email', 'text')
    .addColumn('phone', 'text')
    .addColumn('address', 'text')
    .execute();
}

/** The copy of the register of legal entities. */
export const directory: Migration = { up };
