import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { type EndsWorld, startEndsWorld } from '../support/ends/endsWorld.ts';
import { loginEnds } from '../support/ends/logins.ts';
import { operatorEnds } from '../support/ends/operators.ts';
import { partyEnds } from '../support/ends/parties.ts';
import { phoneEnds } from '../support/ends/phones.ts';

/** Causes of each row of the page's table. */
const [, section = ''] = readFileSync('docs/operations.md', 'utf8').split('\n## What ends what\n');
const page = Object.fromEntries(
  (section.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| ') && !/^\| (What|---)/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map(([, what = '', causes = '']) => [what, causes.split('; ')] as const),
);

describe('N8, N10: What ended is refused by the next request, at another process', function () {
  this.timeout(60_000);
  let opened: EndsWorld;

  before(async () => {
    opened = await startEndsWorld();
  });
  afterEach(() => opened.release());
  after(() => opened.stop());

  const world = () => opened;
  const rows = Object.fromEntries(
    [operatorEnds, loginEnds, phoneEnds, partyEnds].flatMap((rowsOf) =>
      Object.entries(rowsOf(world)),
    ),
  );

  it('has a case for each cause of the page, and no other', () => {
    const causes = Object.entries(rows).map(([what, cases]) => [
      what,
      [...new Set(cases.map(({ cause }) => cause))].sort(),
    ]);
    const stated = Object.entries(page).map(([what, named]) => [what, [...named].sort()]);
    expect(Object.fromEntries(causes)).to.deep.equal(Object.fromEntries(stated));
  });

  for (const [what, cases] of Object.entries(rows)) {
    describe(what, () => {
      for (const { cause, run } of cases) it(cause, () => run(opened));
    });
  }
});
