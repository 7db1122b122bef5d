import { inStatements } from './statements.ts';

/** Notices to citizens, by the phones they were given on. */
export const notices = inStatements([
  `create table notice_view (
    notice_id text primary key,
    civil_id text not null,
    phones jsonb not null,
    given jsonb not null,
    given_at timestamptz not null,
    revision bigint not null
  )`,
  `create index notice_view_phones on notice_view using gin (phones jsonb_path_ops)`,
]);
