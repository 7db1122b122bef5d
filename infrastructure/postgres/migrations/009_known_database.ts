import { expand } from './statements.ts';

/**
 * The database within the server, and the table in it: both are others where a dump was read into the same server, which
 * has its identifier and its timeline. Null: not known, and taken for the same. Then the server that it was found on
 * elsewhere, and since when.
 */
export const knownDatabase = expand([
  `alter table known_server add column database text, add column elsewhere text, add column elsewhere_since timestamptz`,
  `update known_server set database =
     (select oid from pg_database where datname = current_database()) || '/' || 'known_server'::regclass::oid`,
]);
