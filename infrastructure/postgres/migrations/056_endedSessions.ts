import { inStatements } from './statements.ts';

/** Sessions of operators that were signed out before their tokens expire. */
export const endedSessions = inStatements([
  `create table ended_operator_session (
    session_id text primary key,
    tokens_expire_at timestamptz not null
  )`,
]);
