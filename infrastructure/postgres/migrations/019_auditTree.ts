import { inStatements } from './statements.ts';

/** The Merkle tree over the event log and its signed tree heads. */
export const auditTree = inStatements([
  // One row: the extent of the tiles. A writer advances it only from the state it read.
  `create table audit_tree (
    singleton boolean primary key default true check (singleton),
    size bigint not null,
    position bigint
  )`,
  `insert into audit_tree (size) values (0)`,

  `create table audit_tree_tile (
    level smallint not null,
    number bigint not null,
    hashes bytea not null,
    primary key (level, number)
  )`,
  // Hashes do not compress.
  `alter table audit_tree_tile alter column hashes set storage external`,

  // Filled only when the event store cannot look up events by id.
  `create table audit_tree_event (
    event_id uuid primary key,
    index bigint not null
  )`,

  `create table audit_tree_head (
    number bigint primary key,
    size bigint not null,
    root bytea not null,
    signed_at timestamptz not null,
    signature bytea not null,
    key_id text not null,
    public_key bytea not null
  )`,
  `create index audit_tree_head_size on audit_tree_head (size, number)`,
]);
