import { inStatements } from './statements.ts';

/** Organizations, rights to represent them, and the audit. */
export const organizations = inStatements([
  `create table organization_view (
    register text primary key,
    name text not null,
    name_latin text,
    status text not null,
    status_before text,
    registered_at timestamptz not null,
    revision bigint not null
  )`,

  `create table representation_view (
    register text primary key,
    rights jsonb not null,
    has_pending boolean not null,
    revision bigint not null
  )`,
  `create index representation_view_rights on representation_view using gin (rights jsonb_path_ops)`,
  `create index representation_view_pending on representation_view (register) where has_pending`,

  `create table audit_view (
    event_id text primary key,
    type text not null,
    actor_kind text not null,
    actor_id text not null,
    subject text not null,
    outcome text not null,
    happened_at timestamptz not null,
    details jsonb not null,
    revision bigint not null
  )`,
  `create index audit_view_time on audit_view (happened_at, event_id)`,
  `create index audit_view_subject on audit_view (subject, happened_at)`,

  `create index session_view_activity on session_view (civil_id, relying_party_id, started_at)`,
]);
