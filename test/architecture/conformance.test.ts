import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'chai';

const PAGE = 'docs/conformance.md';

/** Tests the page names: a file and a part of a name. */
const named = [...readFileSync(PAGE, 'utf8').matchAll(/`(test\/[^`]+\.test\.ts)`: "([^"]+)"/g)].map(
  ([, file = '', name = '']) => ({ file, name }),
);

describe('The page on conformance', () => {
  it('names tests that exist', () => {
    expect(named).to.have.length.above(30);
    const missing = named.filter(({ file, name }) => {
      if (!existsSync(file)) return true;
      const titles = readFileSync(file, 'utf8').replaceAll("\\'", "'");
      return ![...titles.matchAll(/\bit\(\s*(.*)/g)].some(([, title]) => title?.includes(name));
    });
    expect(missing).to.deep.equal([]);
  });

  it('has a row for every clause: none without a test', () => {
    const rows = readFileSync(PAGE, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| ') && !/^\| (?:Clause|-)/.test(line));
    expect(rows.filter((row) => !row.includes('.test.ts`: "'))).to.deep.equal([]);
  });
});
