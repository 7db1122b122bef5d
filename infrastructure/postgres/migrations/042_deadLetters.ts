import { inStatements } from './statements.ts';

/** Events that a reactor failed to react to and left behind. */
export const deadLetters = inStatements([
  `create table dead_letter (
    reactor text not null,
    event_id text not null,
    stream text not null,
    revision int8 not null,
    -- Class of the error.
    error text not null,
    attempts integer not null,
    since timestamptz not null default now(),
    primary key (reactor, event_id)
  )`,
]);
