import { expand } from './statements.ts';

/** The backup that this database was restored from, and what evidence said of the time after it (ADR 57). */
export const restoredBackup = expand([
  `create table restored_backup (
    singleton boolean primary key default true check (singleton),
    made_at timestamptz not null,
    head bigint,
    events bigint not null,
    root text not null,
    restored_at timestamptz not null,
    findings jsonb not null,
    accepted_at timestamptz
  )`,

  // Revocations of certificates that were issued after the backup: the log does not know them, OCSP and lists do.
  `create table lost_revocation (
    serial text primary key,
    authority text not null,
    reason integer not null,
    revoked_at timestamptz not null,
    not_after timestamptz not null
  )`,
]);
