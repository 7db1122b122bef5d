import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import ts from 'typescript';
import { commonWords } from '../../api/pages/commonWords.ts';

/** Tables that may say the same by hand: from the third on it is a word of api/pages/commonWords.ts. */
const MOST_TABLES = 2;

/** Acts of the audit, each worded where its aggregate is added. */
const acts = 'api/pages/auditActs.ts';

const COMMON = 'api/pages/commonWords.ts';

/** Folders with tables of texts: of the console, the phone, the documentation, and pages made on the server. */
const roots = ['apps/console/src', 'apps/phone/web', 'apps/site', 'api'];

const sources = execFileSync('git', ['ls-files', '-co', '--exclude-standard', ...roots], {
  encoding: 'utf8',
})
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path) && path !== acts && path !== COMMON)
  .map((path) => ({ path, content: readFileSync(path, 'utf8') }));

function nodesOf(node: ts.Node): readonly ts.Node[] {
  const children: ts.Node[] = [];
  ts.forEachChild(node, (child) => {
    children.push(...nodesOf(child));
  });
  return [node, ...children];
}

function bare(node: ts.Expression | undefined): ts.Expression | undefined {
  return node !== undefined && (ts.isAsExpression(node) || ts.isSatisfiesExpression(node))
    ? bare(node.expression)
    : node;
}

/** The texts below a node, by the path of their keys. */
function textsOf(
  node: ts.Expression | undefined,
  path = '',
): readonly (readonly [string, string])[] {
  const value = bare(node);
  if (value === undefined) return [];
  if (ts.isStringLiteralLike(value)) return [[path, value.text]];
  if (ts.isArrayLiteralExpression(value)) {
    return value.elements.flatMap((each, index) => textsOf(each, `${path}.${index}`));
  }
  if (!ts.isObjectLiteralExpression(value)) return [];
  return value.properties
    .filter(ts.isPropertyAssignment)
    .flatMap(({ name, initializer }) => textsOf(initializer, `${path}.${name.getText()}`));
}

interface Table {
  readonly mn: ts.Expression;
  readonly en: ts.Expression;
}

/** Tables of a file: objects with the properties `mn` and `en`, or the constants of these names. */
function tablesOf(content: string): readonly Table[] {
  const file = ts.createSourceFile('texts.tsx', content, ts.ScriptTarget.Latest, true);
  const nodes = nodesOf(file);
  const inLanguages = (
    among: readonly (ts.PropertyAssignment | ts.VariableDeclaration)[],
  ): readonly Table[] => {
    const [mn, en] = ['mn', 'en'].map(
      (language) => among.find(({ name }) => name.getText() === language)?.initializer,
    );
    return mn === undefined || en === undefined ? [] : [{ mn, en }];
  };
  return [
    ...inLanguages(nodes.filter(ts.isVariableDeclaration)),
    ...nodes
      .filter(ts.isObjectLiteralExpression)
      .flatMap(({ properties }) => inLanguages(properties.filter(ts.isPropertyAssignment))),
  ];
}

/** Wordings in both languages with the files that say them by hand. */
function wordings(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const { path, content } of sources) {
    if (!/\bmn\b/.test(content)) continue;
    for (const { mn, en } of tablesOf(content)) {
      const english = new Map(textsOf(en));
      for (const [key, text] of textsOf(mn)) {
        const wording = `${text} | ${english.get(key) ?? ''}`;
        found.set(wording, (found.get(wording) ?? new Set()).add(path));
      }
    }
  }
  return found;
}

describe('Words of the console, the phone and the pages', () => {
  it(`that more than ${MOST_TABLES} tables say in both languages are common words`, () => {
    const copied = [...wordings()].filter(([, files]) => files.size > MOST_TABLES);
    expect(copied.map(([wording]) => wording)).to.deep.equal([]);
  });

  it('that are common are said by hand nowhere', () => {
    const said = wordings();
    const again = Object.values(commonWords)
      .map(([mn, en]) => `${mn} | ${en}`)
      .filter((wording) => said.has(wording));
    expect(again).to.deep.equal([]);
  });

  it('that are common are taken by at least two tables, or by one under two names', () => {
    const taken = sources.flatMap(({ content }) => [
      ...(content.match(/common: \{[^}]*\}/g) ?? []).flatMap((table) =>
        [...table.matchAll(/: '(\w+)'/g)].map(([, name]) => name),
      ),
      ...[...content.matchAll(/\bcommon\.mn\.(\w+)/g)].map(([, name]) => name),
    ]);
    const rare = Object.keys(commonWords).filter(
      (name) => taken.filter((each) => each === name).length < 2,
    );
    expect(rare).to.deep.equal([]);
  });
});
