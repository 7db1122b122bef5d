import { inStatements } from './statements.ts';

/** The tree's leaves from here on do not include positions (ADR 37). */
export const treeLeaves = inStatements([
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
]);
