import { expand } from './statements.ts';

/** Master keys of the installation by generation, and the one that new keys are wrapped under (ADR 70). */
export const masterKeys = expand([
  `create table master_key (
    generation smallint primary key check (generation between 0 and 255),
    mark text not null,
    derivation_key bytea not null
  )`,
  // One row that writers of wrapped keys hold while they write: it is changed by a rotation alone.
  `create table wrapping_generation (
    singleton boolean primary key default true check (singleton),
    generation smallint not null
  )`,
  `insert into wrapping_generation (generation) values (0)`,
]);
