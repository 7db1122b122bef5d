import { type Kysely, type Migration, sql } from 'kysely';

async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('prepared_document')
    .addColumn('prepared_id', 'text', (column) => column.primaryKey())
    .addColumn('relying_party_id', 'text', (column) => column.notNull())
    .addColumn('digest', 'text', (column) => column.notNull())
    .addColumn('civil_id', 'text', (column) => column.notNull())
    .addColumn('sealed_key', 'text', (column) => column.notNull())
    .addColumn('content', 'bytea', (column) => column.notNull())
    .addColumn('size', 'int8', (column) => column.notNull())
    .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
    .execute();
  // Already compressed or encrypted: PostgreSQL need not try.
  await sql`alter table prepared_document alter column content set storage external`.execute(
    database,
  );
  await database.schema
    .createIndex('prepared_document_awaits')
    .on('prepared_document')
    .columns(['relying_party_id', 'digest'])
    .execute();
  await database.schema
    .createIndex('prepared_document_expires')
    .on('prepared_document')
    .column('expires_at')
    .execute();
}

/** PDFs awaiting a citizen's own signature. */
export const preparedDocuments: Migration = { up };
