import { inStatements } from './statements.ts';

/** Dead rows, whatever the size of the table: by default autovacuum waits for a fifth of it. */
const after = (deadRows: number) =>
  `autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = ${deadRows}`;

const settings: Readonly<Record<string, string>> = {
  // One page each, updated hundreds of times a second: every reader walks what is not cleaned up.
  checkpoint: `fillfactor = 50, ${after(1000)}, autovacuum_vacuum_cost_delay = 0`,
  audit_tree: `fillfactor = 50, ${after(1000)}, autovacuum_vacuum_cost_delay = 0`,
  tally: `${after(10_000)}, autovacuum_vacuum_cost_delay = 0`,
  // Indexes of what is running or waiting are scanned several times a second and hold an entry for each dead row.
  session_view: `${after(100_000)}, autovacuum_analyze_scale_factor = 0.02`,
  job: after(10_000),
};

/** Settings of tables whose rows change often. They lock nobody out, and rebuilds keep them. */
export const hotTables = inStatements(
  Object.entries(settings).map(([table, setting]) => `alter table ${table} set (${setting})`),
);
