import { expand } from './statements.ts';

/** Version of the fold that a read model's rows were made by; 0: a release that does not say (ADR 66). */
export const foldVersion = expand([
  `alter table checkpoint add column fold integer not null default 0`,
]);
