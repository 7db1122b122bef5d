import { inStatements } from './statements.ts';

/** The move of the log that was begun and not finished; addresses without credentials. */
export const logMove = inStatements([
  `create table log_move (
    singleton boolean primary key default true check (singleton),
    source text not null,
    destination text not null
  )`,
]);
