import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Config } from '../../infrastructure/config/config.ts';
import {
  connectionBudget,
  connectionNames,
  connectionsInAll,
} from '../../infrastructure/postgres/connectionBudget.ts';

type Columns = readonly (Config['SVC_ROLES'][number] | 'all')[];
const columns: Columns = ['api', 'projector', 'worker', 'all'];

const budgetOf = (role: Columns[number]) =>
  connectionBudget({
    SVC_ROLES: role === 'all' ? ['api', 'projector', 'worker'] : [role],
    SVC_DATABASE_POOL: undefined,
    SVC_EVENTSTORE_URL: undefined,
    SVC_SOLE_PROCESS: false,
  });

/** Rows of the table in docs/operations.md: numbers by what the second column says. */
function documented(): Readonly<Record<string, readonly number[]>> {
  const text = readFileSync('docs/operations.md', 'utf8');
  const section = text.slice(
    text.indexOf('## Connections'),
    text.indexOf('## The operator console'),
  );
  const rows = section.split('\n').filter((line) => /^\|.*\d/u.test(line));
  return Object.fromEntries(
    rows.map((line) => {
      const [, , name = '', ...counts] = line.split('|').map((cell) => cell.trim());
      return [name.replaceAll('`', ''), counts.slice(0, columns.length).map(Number)];
    }),
  );
}

describe('The connections of a process', () => {
  it('are those of the table in docs/operations.md, by role', () => {
    const uses = Object.keys(connectionNames) as (keyof typeof connectionNames)[];
    const rows = uses.map((use) => [
      connectionNames[use],
      columns.map((role) => budgetOf(role)[use]),
    ]);
    expect(documented()).to.deep.equal({
      ...Object.fromEntries(rows),
      '': columns.map((role) => connectionsInAll(budgetOf(role))),
    });
  });

  it('are as few of each kind as a small pool', () => {
    const settings = { SVC_ROLES: ['api', 'projector'], SVC_DATABASE_POOL: 3 } as const;
    const budget = connectionBudget({ ...settings, SVC_EVENTSTORE_URL: undefined } as never);
    expect(budget).to.include({ requests: 3, projections: 3, logReaders: 3 });
  });

  it('are fewer where the log is in EventStoreDB', () => {
    const settings = { SVC_ROLES: ['api'], SVC_DATABASE_POOL: 3, SVC_SOLE_PROCESS: false } as const;
    const budget = connectionBudget({ ...settings, SVC_EVENTSTORE_URL: 'esdb://a' } as never);
    expect(connectionsInAll(budget)).to.equal(4);
  });
});
