import { expand } from './statements.ts';

/** The level of the installation (ADR 65). */
export const releaseLevel = expand([
  `create table release_level (
    singleton boolean primary key default true check (singleton),
    level integer not null check (level >= 1),
    raised_at timestamptz not null default now()
  )`,
  `insert into release_level (level) values (1)`,
]);
