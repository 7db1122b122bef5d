import { inStatements } from './statements.ts';

/** Requests for approval. */
export const approvals = inStatements([
  `create table approval_view (
    approval_id text primary key,
    operation text not null,
    execution text not null,
    capability text not null,
    subject text not null,
    status text not null,
    effects jsonb not null,
    command_hash text not null,
    requested_by text not null,
    requested_at timestamptz not null,
    expires_at timestamptz not null,
    decided_by text,
    decided_at timestamptz,
    ended_at timestamptz,
    code text,
    revision bigint not null
  )`,
  `create index approval_view_time on approval_view (requested_at, approval_id)`,
  `create index approval_view_status on approval_view (status, requested_at, approval_id)`,
  `create index approval_view_open on approval_view (approval_id) where status in ('PENDING', 'APPROVED')`,
]);
