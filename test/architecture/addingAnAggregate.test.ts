import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const PAGE = 'docs/adding-an-aggregate.md';
const MOST_PLACES = 8;

/** Production code of the server, the console and the command line, and what tests share. */
const roots = [
  'main/main.ts',
  'domain',
  'application',
  'projections',
  'infrastructure',
  'api',
  'main/composition',
  'apps/console/src',
  'main/cli',
  'test/support',
];

/** Aggregates with a list page that have little to do with each other: who names three of them names every aggregate. */
const strangers = [
  /identity[-_]?verification|\bKYC_|VERIFICATION_NOT_FOUND/i,
  /oidc[-_ ]?client/i,
  /knowledge|\bARTICLE_/i,
  /documents\b|documentEvents|\bDOCUMENT_/i,
];
const MOST_STRANGERS = 2;

/** Lists the page names below its table: what they list is not every aggregate. */
const optional = [
  ...['main/composition/approvals.ts', 'test/support/worlds/stoppable.ts'],
  ...['projections/names.ts', 'apps/console/src/shared/names.tsx'],
  ...['apps/console/src/shared/health/projectionWords.ts', 'api/platform/schemaNames.ts'],
];

/** Folder of what is frozen: nobody adds to it. */
const frozen = 'infrastructure/postgres/migrations/baseline/';

function filesBelow(path: string): readonly string[] {
  if (statSync(path).isFile()) return /\.tsx?$/.test(path) ? [path] : [];
  return readdirSync(path).flatMap((name) => filesBelow(join(path, name)));
}

/** Files that have to know every aggregate there is. */
function centralLists(): readonly string[] {
  return roots.flatMap(filesBelow).filter((path) => {
    if (path.startsWith(frozen)) return false;
    const content = readFileSync(path, 'utf8');
    return strangers.filter((name) => name.test(content)).length > MOST_STRANGERS;
  });
}

/** The rows of the page's table: an existing file and the line the example adds to it. */
function places(): readonly { readonly file: string; readonly line: string }[] {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| \d+ +\| `([^`]+)` +\| `([^`]+)`/gm);
  return [...rows].map(([, file = '', line = '']) => ({ file, line }));
}

describe('A new aggregate with a list page in the console', () => {
  it(`touches at most ${MOST_PLACES} existing places`, () => {
    expect(places()).to.have.length.within(1, MOST_PLACES);
  });

  it('touches no file that lists every aggregate, but those the page names', () => {
    const named = [...places().map(({ file }) => file), ...optional];
    expect(centralLists().filter((path) => !named.includes(path))).to.deep.equal([]);
  });

  it('is shown on an example that is there', () => {
    for (const { file, line } of places()) {
      expect(existsSync(file), file).to.equal(true);
      expect(readFileSync(file, 'utf8'), file).to.include(line);
    }
  });

  it('finds the lists the page names, but migrations, named by other words, and the problems of one area', () => {
    const found = centralLists();
    const named = [...places().map(({ file }) => file), ...optional];
    const missing = named.filter((file) => !found.includes(file));
    for (const file of optional) expect(readFileSync(PAGE, 'utf8')).to.include(`\`${file}\``);
    expect(missing).to.deep.equal([
      'api/problems/peopleProblems.ts',
      'infrastructure/postgres/migrate.ts',
    ]);
  });
});
