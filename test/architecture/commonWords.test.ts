import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import ts from 'typescript';

/** Tables that may say the same by hand: from the third on it is a word of api/pages/commonWords.ts. */
const MOST_TABLES = 2;

/** Acts of the audit, each worded where its aggregate is added. */
const acts = 'apps/console/src/shared/records/auditWords.ts';

const COMMON = 'api/pages/commonWords.ts';

const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', 'apps/console/src'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path) && path !== acts)
  .map((path) => ({ path, content: readFileSync(path, 'utf8') }));

function nodesOf(node: ts.Node): readonly ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    children.push(...nodesOf(child));
  });
  return [node, ...children];
}

/** The texts of one language of a table, by key. */
function textsOf(table: ts.ObjectLiteralExpression, language: string): ReadonlyMap<string, string> {
  const found = table.properties
    .filter(ts.isPropertyAssignment)
    .find(({ name }) => name.getText() === language)?.initializer;
  const entries =
    found !== undefined && ts.isObjectLiteralExpression(found)
      ? found.properties.filter(ts.isPropertyAssignment)
      : [];
  return new Map(
    entries.flatMap(({ name, initializer }) =>
      ts.isStringLiteralLike(initializer) ? [[name.getText(), initializer.text]] : [],
    ),
  );
}

/** Wordings in both languages with the files that say them by hand. */
function wordings(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { path, content } of sources) {
    if (!content.includes('defineTexts(')) continue;
    const file = ts.createSourceFile(path, content, ts.ScriptTarget.Latest, true);
    for (const table of nodesOf(file).filter(ts.isObjectLiteralExpression)) {
      const english = textsOf(table, 'en');
      for (const [key, text] of textsOf(table, 'mn')) {
        const wording = `${text} | ${english.get(key) ?? ''}`;
        found.set(wording, (found.get(wording) ?? new Set()).add(path));
      }
    }
  }
  return found;
}

describe('Words of the console', () => {
  it(`that more than ${MOST_TABLES} tables say in both languages are common words`, () => {
    const copied = [...wordings()].filter(([, files]) => files.size > MOST_TABLES);
    expect(copied.map(([wording]) => wording)).to.deep.equal([]);
  });

  it('that are common are taken by at least two tables, or by one under two names', () => {
    const [, ...names] = readFileSync(COMMON, 'utf8').split(/^ {2}(?=\w+: \[)/m);
    const others = sources.filter(({ path }) => path !== COMMON).map(({ content }) => content);
    const tables = others.join('\n').match(/common: \{[^}]*\}/g) ?? [];
    const rare = names
      .map((line) => line.slice(0, line.indexOf(':')))
      .filter((name) => tables.join('\n').split(`'${name}'`).length < 3);
    expect(names.length).to.be.greaterThan(0);
    expect(rare).to.deep.equal([]);
  });
});
