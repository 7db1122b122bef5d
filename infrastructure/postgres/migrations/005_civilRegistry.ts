import { type Migration, sql } from 'kysely';

/** The civil register's copy: sealed records, found by civil id or by the fingerprint of the registration number. */
export const civilRegistry: Migration = {
  up: async (database) => {
    await sql`
      create table civil_registry (
        civil_id text primary key,
        registration_number_index text not null unique,
        record_fingerprint text not null,
        sealed text not null
      )`.execute(database);
  },
};
