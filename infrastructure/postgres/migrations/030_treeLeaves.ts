import { type Kysely, type Migration, sql } from 'kysely';

const statements = [
  // Existing leaves include positions, later ones do not. The new name stops a worker of a former release, which would
  // go on adding the old kind.
  `alter table audit_tree rename column position to last_position`,
  `alter table audit_tree add column version_two_from bigint not null default 0`,
  `update audit_tree set version_two_from = size`,

  // Filled when the log is moved: the positions in leaves of version 1.
  `create table audit_tree_position (
    index bigint primary key,
    position bigint not null
  )`,
];

/** The tree's leaves from here on do not include positions (ADR 37). */
export const treeLeaves: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(database);
  },
};
