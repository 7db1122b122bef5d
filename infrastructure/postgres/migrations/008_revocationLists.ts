import { inStatements } from './statements.ts';

/** The newest revocation list of each CA, in parts, and an index of the certificates that belong on it. */
export const revocationLists = inStatements([
  `create table revocation_list (
    authority text primary key,
    number bigint not null,
    this_update timestamptz not null,
    next_update timestamptz not null
  )`,
  // A list of a million entries has some 50 MB: too large for one message or allocation.
  `create table revocation_list_part (
    authority text not null,
    number bigint not null,
    part integer not null,
    bytes bytea not null,
    primary key (authority, number, part)
  )`,
  // Signed bytes do not compress.
  `alter table revocation_list_part alter column bytes set storage external`,

  `create index certificate_view_revoked on certificate_view (serial)
    where status in ('REVOKED', 'SUSPENDED')`,
]);
