import { expand } from './statements.ts';

/**
 * The PostgreSQL server that the installation runs on: one that was recovered to a point in time, or filled with a dump,
 * is another one, and holds the row of the former (ADR 57).
 */
export const knownServer = expand([
  `create table known_server (
    singleton boolean primary key default true check (singleton),
    system_identifier text not null,
    timeline text not null
  )`,
  `insert into known_server (system_identifier, timeline)
   select system_identifier::text, left(pg_walfile_name(pg_current_wal_lsn()), 8) from pg_control_system()`,
]);
