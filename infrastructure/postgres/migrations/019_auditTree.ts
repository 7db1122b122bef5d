import { type Kysely, type Migration, sql } from 'kysely';

const statements = [
  // One row: what the tiles hold. Whoever grows the tree moves it on from what they found.
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

  // Filled only where the log itself finds no event by its id.
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
];

/** The tree over the event log and its signed heads. */
export const auditTree: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(database);
  },
};
