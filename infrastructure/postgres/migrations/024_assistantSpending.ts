import type { Kysely, Migration } from 'kysely';

async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .createTable('assistant_spending')
    .addColumn('day', 'date', (column) => column.notNull())
    .addColumn('scope', 'text', (column) => column.notNull())
    .addColumn('amount', 'int8', (column) => column.notNull())
    .addPrimaryKeyConstraint('assistant_spending_pkey', ['day', 'scope'])
    .execute();
}

/** Cost of the assistant per day, in millionths of a currency. */
export const assistantSpending: Migration = { up };
