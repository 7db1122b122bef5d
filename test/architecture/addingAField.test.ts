import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import ts from 'typescript';
import { oidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { operatorSettings } from '../../domain/operator/settings.ts';
import { organizationSettings } from '../../domain/organization/settings.ts';
import { relyingPartySettings } from '../../domain/relyingParty/settings.ts';

const PAGE = 'docs/adding-a-field.md';
const MOST_PLACES = 6;
const EXAMPLE = 'ipAllowlist';

/** Settings whose names say other things elsewhere. */
const commonNames = ['name', 'permissions', 'keys', 'scopes', 'sector', 'organization'];

/** Production code of the server, the console and the command line. */
const roots = ['domain', 'application', 'projections', 'infrastructure', 'api', 'main'];
const consoleRoot = 'apps/console/src';

const sources = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', ...roots, consoleRoot],
  {
    encoding: 'utf8',
  },
)
  .split('\n')
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, content: readFileSync(path, 'utf8') }));

/** A setting's name in code or as a column. */
function nameOf(setting: string): RegExp {
  const column = setting.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return new RegExp(String.raw`\b(${setting}|${column})(?![a-z_])`);
}

/** Files that name more than half of these settings: one that uses some of them names fewer. */
function carriers(settings: readonly string[]): readonly string[] {
  const names = settings.filter((each) => !commonNames.includes(each)).map(nameOf);
  return sources
    .filter(({ content }) => names.filter((name) => name.test(content)).length > names.length / 2)
    .map(({ path }) => path)
    .sort();
}

/**
 * Files in which two of these settings stand on neighbouring lines, as where they are copied one by one: for entities
 * of few settings, whose names are common words.
 */
function copiers(settings: readonly string[]): readonly string[] {
  const names = settings.map(
    (each) => new RegExp(String.raw`(?<![.\w'"\x60/])${nameOf(each).source}(?=[,:?;} ]|$)`, 'm'),
  );
  return sources
    .filter(({ content }) => {
      const lines = content.split('\n').filter((line) => !/^\s*(?:\/\*|\*|\/\/)/.test(line));
      return lines.some((line, index) => {
        const here = `${line}\n${lines[index + 1] ?? ''}`;
        return names.filter((name) => name.test(here)).length > 1;
      });
    })
    .map(({ path }) => path)
    .sort();
}

/** The rows of the page's table: a file and the line the example adds to it. */
function places(): readonly { readonly file: string; readonly line: string }[] {
  const rows = readFileSync(PAGE, 'utf8').matchAll(/^\| \d+ +\| `([^`]+)` +\| `([^`]+)`/gm);
  return [...rows].map(([, file = '', line = '']) => ({ file, line }));
}

describe('A new setting of a relying party', () => {
  it(`stands in at most ${MOST_PLACES} places, which the page shows`, () => {
    const named = sources.filter(({ content }) => nameOf(EXAMPLE).test(content));
    const files = places().map(({ file }) => file);
    expect(named.map(({ path }) => path).sort()).to.deep.equal([...files].sort());
    expect(files).to.have.length.within(1, MOST_PLACES);
  });

  it('is shown on an example that is there', () => {
    for (const { file, line } of places()) {
      expect(readFileSync(file, 'utf8'), file).to.include(line);
    }
  });

  it('is carried by no file that names settings one by one, but where each is declared and worded', () => {
    expect(carriers(Object.keys(relyingPartySettings))).to.deep.equal([
      'api/pages/words/settingWords.ts',
      'apps/console/src/areas/relyingParties/settings.ts',
      'domain/relyingParty/settings.ts',
      'infrastructure/postgres/migrations/baseline/readModels.ts',
      'main/cli/relyingPartyOptions.ts',
    ]);
  });
});

describe('A new setting of an OpenID client', () => {
  it('is carried by no file that names settings one by one, but where each is declared, worded, served and decided', () => {
    expect(carriers(Object.keys(oidcClientSettings))).to.deep.equal([
      'api/pages/words/settingWords.ts',
      // A new one does not compile until it is said whether two operators change it.
      'application/approval/oidcClientOperations.ts',
      'apps/console/src/areas/oidcClients/settings.ts',
      'domain/oidcClient/settings.ts',
      // Events of before are given each setting that came after them.
      'infrastructure/codec/upcasters.ts',
      'infrastructure/oidc/clientMetadata.ts',
      'main/cli/oidcClients.ts',
    ]);
  });
});

describe('A new setting of an organization', () => {
  it('is copied by no file, but where each is declared, shown in a list, has other names or is a sample', () => {
    expect(copiers(Object.keys(organizationSettings))).to.deep.equal([
      // The members of relying parties' requests, answers and notices are named by the contract.
      'api/rp/organizationRoutes.ts',
      'application/device/notices.ts',
      'apps/console/src/areas/organizations/ListPage.tsx',
      'apps/console/src/areas/organizations/settings.ts',
      'domain/organization/settings.ts',
      'infrastructure/postgres/migrations/baseline/readModels.ts',
      'main/cli/demo.ts',
      'main/cli/organizations.ts',
      'main/cli/settingOptions.ts',
      // An organization is found by either of its names.
      'projections/names.ts',
    ]);
  });
});

describe('A new setting of an operator', () => {
  it('is copied by no file, but where each is declared or worded, is a claim, comes from the configuration, or is a sample', () => {
    expect(copiers(Object.keys(operatorSettings))).to.deep.equal([
      // Access tokens and the account say of operators what they say of callers without an account.
      'api/admin/accessTokenRoute.ts',
      'api/admin/accountRoutes.ts',
      'apps/console/src/areas/account/texts.ts',
      'apps/console/src/areas/admins/settings.ts',
      'apps/console/src/areas/admins/texts.ts',
      'domain/operator/settings.ts',
      'main/cli/demo.ts',
      'main/cli/operators.ts',
      'main/composition/operators.ts',
    ]);
  });
});

/** A column copied to the field of its name: `civilId: row.civil_id`, or `civil_id: civilId` taken apart. */
const copied =
  /\b(?<field>[a-z]+(?:[A-Z][a-z0-9]*)+): \w+\.(?<column>[a-z]+(?:_[a-z0-9]+)+)|\b(?<taken>[a-z]+(?:_[a-z0-9]+)+): (?<as>[a-z]+(?:[A-Z][a-z0-9]*)+)\b/g;

/** Copies that are no record: taken for something else. */
const FEW_COPIES = 2;

describe('A new column of a table', () => {
  it('is copied to the field of its name by no query', () => {
    const copying = sources
      .filter(({ path }) => /^projections\/(?!models\/)|^infrastructure\/postgres\//.test(path))
      .filter(({ content }) => {
        const copies = [...content.matchAll(copied)].filter(({ groups }) => {
          const { field = '', column = '', taken = column, as = field } = groups ?? {};
          return taken.replaceAll('_', '') === as.toLowerCase();
        });
        return copies.length > FEW_COPIES;
      });
    expect(copying.map(({ path }) => path)).to.deep.equal([]);
  });
});

/** Fields that an answer may copy from a record one by one; more are made by its schema. */
const MOST_COPIED = 4;

/** Fields of an object that are those of one record under the same names. */
function copiedFields(object: ts.ObjectLiteralExpression): number {
  let scope: ts.Node = object;
  while (!ts.isFunctionLike(scope) && !ts.isSourceFile(scope)) scope = scope.parent;
  const taken = new Set(
    scope
      .getText()
      .matchAll(/(?:const |[(,]\s*)\{([^{}]*)\}(?:: \w+)?\s*(?:=|\)|,)/g)
      .flatMap(([, names = '']) => names.split(',').map((name) => name.trim())),
  );
  return object.properties.filter((property) => {
    if (ts.isShorthandPropertyAssignment(property)) return taken.has(property.name.text);
    return (
      ts.isPropertyAssignment(property) &&
      ts.isPropertyAccessExpression(property.initializer) &&
      property.initializer.name.text === property.name.getText()
    );
  }).length;
}

function objectsIn(node: ts.Node): readonly ts.ObjectLiteralExpression[] {
  const found: ts.ObjectLiteralExpression[] = [];
  ts.forEachChild(node, (child) => {
    if (ts.isObjectLiteralExpression(child) && ts.isReturnStatement(child.parent))
      found.push(child);
    if (ts.isSatisfiesExpression(child) && ts.isObjectLiteralExpression(child.expression)) {
      found.push(child.expression);
    }
    found.push(...objectsIn(child));
  });
  return found;
}

describe('A new field of an answer', () => {
  it('is copied from a record of that field by no view', () => {
    const copying = sources
      .filter(({ path }) => path.startsWith('api/'))
      .filter(({ path, content }) =>
        objectsIn(ts.createSourceFile(path, content, ts.ScriptTarget.Latest, true)).some(
          (object) => copiedFields(object) > MOST_COPIED,
        ),
      );
    // Answers that each login polls for are written out: their members are the contract's.
    expect(copying.map(({ path }) => path)).to.deep.equal(['api/rp/generations/generations.ts']);
  });
});
