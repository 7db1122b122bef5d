import { inStatements } from './statements.ts';

/** Notices that the push gateway did not take, beside the logout tokens; whom they were for is in the log. */
export const undelivered = inStatements([
  `alter table undelivered_logout rename to undelivered`,
  `alter index undelivered_logout_tried_at rename to undelivered_tried_at`,
  `alter table undelivered
    add column kind text not null default 'LOGOUT',
    alter column client_id drop not null`,
]);
