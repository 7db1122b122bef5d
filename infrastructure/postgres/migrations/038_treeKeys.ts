import type { Kysely, Migration } from 'kysely';

async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('audit_tree_key')
    .addColumn('key_id', 'text', (column) => column.primaryKey())
    .addColumn('certificate', 'bytea', (column) => column.notNull())
    .execute();
}

/** Certificates of the keys that sign heads of the tree; a key that is there gets its own at the next start. */
export const treeKeys: Migration = { up };
