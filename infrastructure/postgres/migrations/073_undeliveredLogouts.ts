import { inStatements } from './statements.ts';

/** Logout tokens that a client did not take; who was logged in is not in them. */
export const undeliveredLogouts = inStatements([
  `create table undelivered_logout (
    id text primary key,
    client_id text not null,
    since timestamptz not null,
    attempts integer not null,
    reason text not null,
    tried_at timestamptz not null,
    given_up boolean not null
  )`,
  `create index undelivered_logout_tried_at on undelivered_logout (tried_at)`,
]);
