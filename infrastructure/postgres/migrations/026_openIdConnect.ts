import { inStatements } from './statements.ts';

/** State of the OpenID Connect provider, its keys, its clients, consents. */
export const openIdConnect = inStatements([
  // Identifiers as SHA-256, contents sealed: reading the table gives access to nothing.
  `create table oidc_state (
    kind text not null,
    id_hash bytea not null,
    payload text not null,
    civil_id text,
    client_id text,
    grant_hash bytea,
    uid_hash bytea,
    consumed_at timestamptz,
    expires_at timestamptz not null,
    primary key (kind, id_hash)
  )`,
  `create index oidc_state_uid on oidc_state (kind, uid_hash) where uid_hash is not null`,
  `create index oidc_state_grant on oidc_state (grant_hash) where grant_hash is not null`,
  `create index oidc_state_citizen on oidc_state (civil_id) where civil_id is not null`,
  `create index oidc_state_client on oidc_state (client_id) where client_id is not null`,
  `create index oidc_state_expiry on oidc_state (expires_at)`,

  // Index of the keys; the keys themselves are in the key vault.
  `create table oidc_signing_key (
    number integer primary key,
    label text not null unique,
    active_from timestamptz not null
  )`,

  `create table oidc_client_view (
    client_id text primary key,
    relying_party_id text not null,
    name text not null,
    settings jsonb not null,
    has_secret boolean not null,
    active boolean not null,
    registered_at timestamptz not null,
    search text not null,
    revision bigint not null
  )`,
  `create table consent_view (
    consent_id text primary key,
    civil_id text not null,
    client_id text not null,
    scopes jsonb not null,
    changed_at timestamptz not null,
    revision bigint not null
  )`,
  `create index consent_view_citizen on consent_view (civil_id)`,
  `create index oidc_client_view_registered on oidc_client_view (registered_at desc, client_id desc)`,
]);
