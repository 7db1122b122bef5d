import { inStatements } from './statements.ts';

/** Identity verifications: the operators' list, and those past their deadline. */
export const identityVerifications = inStatements([
  `create table identity_verification_view (
    verification_id text primary key,
    method text not null,
    status text not null,
    civil_id text,
    attempts bigint not null,
    last_failure text,
    started_at timestamptz not null,
    expires_at timestamptz not null,
    ended_at timestamptz,
    revision bigint not null
  )`,
  `create index identity_verification_view_started
    on identity_verification_view (started_at, verification_id)`,
  `create index identity_verification_view_status
    on identity_verification_view (status, started_at, verification_id)`,
  `create index identity_verification_view_method
    on identity_verification_view (method, started_at, verification_id)`,
  `create index identity_verification_view_person
    on identity_verification_view (civil_id, started_at, verification_id)
    where civil_id is not null`,
  `create index identity_verification_view_open
    on identity_verification_view (expires_at, verification_id) where status = 'PENDING'`,
]);
