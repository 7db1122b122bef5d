import { type Kysely, type Migration, sql } from 'kysely';

async function up(database: Kysely<unknown>): Promise<void> {
  await database.schema
    .alterTable('organization_registry')
    .addColumn('affiliates', sql`text[]`)
    .execute();
}

/** Keyed fingerprints of the registration numbers of an organization's people; null: the register does not say. */
export const organizationAffiliates: Migration = { up };
