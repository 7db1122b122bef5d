import { inStatements } from './statements.ts';

/** The audit of every event. */
export const audit = inStatements([
  `drop table audit_view`,

  // Read newest first and never changed, so it is ordered by position. Identifiers are compared as bytes, which keeps
  // their indexes affordable.
  `create table audit_view (
    position bigint primary key,
    event_id uuid not null,
    stream text collate "C" not null,
    type text collate "C" not null,
    outcome text collate "C" not null,
    actor_kind text collate "C" not null,
    actor_id text collate "C" not null,
    capability text collate "C",
    subject text collate "C" not null,
    person text collate "C",
    request_id text collate "C",
    ip text collate "C",
    happened_at timestamptz not null,
    details jsonb not null,
    revision bigint not null
  )`,
  `create index audit_view_event_id on audit_view (event_id)`,
  `create index audit_view_type on audit_view (type, position)`,
  `create index audit_view_subject on audit_view (subject, position)`,
  `create index audit_view_person on audit_view (person, position)`,
  `create index audit_view_actor on audit_view (actor_id, position)`,
  `create index audit_view_denied on audit_view (position) where outcome = 'DENIED'`,
  `create index audit_view_time on audit_view (happened_at, position)`,

  // The audit is rebuilt from the beginning of the log.
  `delete from checkpoint where name = 'audit'`,
]);
