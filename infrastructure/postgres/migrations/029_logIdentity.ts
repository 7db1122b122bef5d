import { inStatements } from './statements.ts';

/** Identity of the log that read models and checkpoints follow: one row, none before the first start. */
export const logIdentity = inStatements([
  `create table log_identity (
    singleton boolean primary key default true check (singleton),
    installation_id uuid not null,
    epoch integer not null,
    wrapping_key_fingerprint text not null
  )`,
]);
