import { expand } from './statements.ts';

/** Moments at which an operator did last what leaves no event. */
export const lastDone = expand([
  `create table last_done (what text primary key, at timestamptz not null)`,
]);
