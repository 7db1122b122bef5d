import { inStatements } from './statements.ts';

/** Read models, one table each, and the checkpoints of all subscribers of the log. */
export const readModels = inStatements([
  `create table checkpoint (
    name text primary key,
    position bigint,
    moved_at timestamptz not null default now()
  )`,

  `create table session_view (
    session_id text primary key,
    relying_party_id text not null,
    kind text not null,
    flow text not null,
    civil_id text,
    document_number text,
    status text not null,
    end_result text,
    refused_interaction text,
    signature text,
    signature_algorithm text,
    certificate_serial text,
    certificate_level text,
    interaction_type_used text,
    started_at timestamptz not null,
    answer_before timestamptz not null,
    readable_until timestamptz not null,
    completed_at timestamptz,
    revision bigint not null
  )`,
  `create index session_view_overdue on session_view (answer_before, session_id)
    where status = 'RUNNING'`,
  `create index session_view_inbox on session_view (civil_id, started_at)
    where status = 'RUNNING' and flow = 'NOTIFICATION'`,

  `create table relying_party_view (
    relying_party_id text primary key,
    name text not null,
    secret_hash text not null,
    callback_hosts jsonb not null,
    ip_allowlist jsonb not null,
    client_certificates jsonb not null,
    permissions jsonb not null,
    first_party boolean not null,
    requests_per_minute bigint,
    active boolean not null,
    subsystems jsonb not null,
    revision bigint not null
  )`,
  `create index relying_party_view_secret on relying_party_view (secret_hash)`,

  `create table citizen_view (
    civil_id text primary key,
    identity text,
    registration_index text,
    enrolled_at timestamptz not null,
    revision bigint not null
  )`,
  `create index citizen_view_registration on citizen_view (registration_index)`,

  `create table device_view (
    document_number text primary key,
    civil_id text not null,
    platform text not null,
    push_token text,
    transport_key text not null,
    authentication_serial text not null,
    signing_serial text not null,
    active boolean not null,
    enrolled_at timestamptz not null,
    deactivated_at timestamptz,
    revision bigint not null
  )`,
  `create index device_view_civil_id on device_view (civil_id)`,

  `create table certificate_view (
    serial text primary key,
    type text not null,
    level text not null,
    key_type text not null,
    civil_id text not null,
    document_number text not null,
    issuer text not null,
    public_key text not null,
    not_before timestamptz not null,
    not_after timestamptz not null,
    status text not null,
    certificate text,
    fingerprint text,
    revocation_reason bigint,
    revoked_at timestamptz,
    revision bigint not null
  )`,
  `create index certificate_view_civil_id on certificate_view (civil_id)`,
]);
