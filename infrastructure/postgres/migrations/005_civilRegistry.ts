import { inStatements } from './statements.ts';

/**
 * Copy of the civil register: sealed records, looked up by civil id or by the fingerprint of the registration number.
 */
export const civilRegistry = inStatements([
  `create table civil_registry (
    civil_id text primary key,
    registration_number_index text not null unique,
    record_fingerprint text not null,
    sealed text not null
  )`,
]);
