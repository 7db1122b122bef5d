import { expect } from 'chai';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { affectedTests, compiledImports, reachingEverything } from '../../main/cli/changedTests.ts';

const graph = new Map([
  ['domain/fee.ts', []],
  ['domain/tax.ts', ['domain/fee.ts']],
  ['main/main.ts', ['domain/tax.ts']],
  ['test/domain/tax.test.ts', ['domain/tax.ts']],
  ['test/domain/other.test.ts', []],
  ['test/support/service.ts', ['main/main.ts']],
  ['test/e2e/service.test.ts', ['test/support/service.ts']],
]);

describe('The tests a change can affect', () => {
  it('are those that import it, directly or not, without those that start the service', () => {
    const { direct, throughService } = affectedTests(graph, ['domain/fee.ts']);
    expect(direct).to.include('test/domain/tax.test.ts');
    expect(direct).not.to.include('test/domain/other.test.ts');
    expect(throughService).to.deep.equal(['test/e2e/service.test.ts']);
  });

  it('are those that start the service when it is put together differently', () => {
    expect(affectedTests(graph, ['main/main.ts']).direct).to.include('test/e2e/service.test.ts');
  });

  it('are themselves', () => {
    const test = 'test/domain/other.test.ts';
    expect(affectedTests(graph, [test]).direct).to.deep.equal([test]);
  });

  it('are all when what every test depends on changed', () => {
    const changed = ['README.md', 'package-lock.json', ...hooksOfEveryRun()];
    expect(reachingEverything(changed)).to.deep.equal(changed.slice(1));
  });
});

describe('The tests of a route or page that only the whole service has', () => {
  const texts = new Map([
    ['api/admin/feeRoutes.ts', "path: '/v3/admin/fees/:feeId'"],
    ['api/rp/taxRoutes.ts', 'const root = `/v3/taxes`; path: `${root}/:id`'],
    ['apps/console/src/areas/fees/area.ts', "path: '/all-fees/$feeId'"],
    ['domain/fee.ts', "'/fees'"],
    ['test/e2e/fees.test.ts', 'operator.call("GET", `/fees/${id}`)'],
    ['test/e2e/adminFees.test.ts', 'fetch(`${origin}/v3/admin/fees`)'],
    ['test/e2e/taxes.test.ts', 'fetch(`${origin}/v3/taxes?year=2026`)'],
    ['test/e2e/others.test.ts', "fetch('/v3/taxes-of-others', '/other/fees')"],
    ['test/console/fees.test.ts', "operator.call('GET', '/fees'); page.goto('/console/all-fees')"],
  ]);
  const naming = (changed: string) => {
    const files = new Map([...texts.keys()].map((file) => [file, []]));
    return affectedTests(files, [changed], (file) => texts.get(file) ?? '').byPath;
  };

  for (const [changed, tests] of [
    ['api/admin/feeRoutes.ts', ['test/e2e/adminFees.test.ts', 'test/e2e/fees.test.ts']],
    ['api/rp/taxRoutes.ts', ['test/e2e/taxes.test.ts']],
    ['apps/console/src/areas/fees/ListPage.tsx', ['test/console/fees.test.ts']],
    ['domain/fee.ts', []],
  ] as const) {
    it(`are ${tests.length} that name its path when ${changed} changed`, () => {
      expect(naming(changed)).to.deep.equal(tests);
    });
  }
});

/** Sources of the hooks Mocha loads before every file. */
function hooksOfEveryRun(): readonly string[] {
  const settings = createRequire(import.meta.url)('../../../.mocharc.cjs') as {
    readonly require: readonly string[];
  };
  return settings.require.map((path) => path.replace('dist/', '').replace('.js', '.ts'));
}

describe('The import graph of the repository', () => {
  const compiled = compiledImports();
  const affected = (file: string) => affectedTests(compiled, [file]);

  it('leads from an aggregate to its own tests, and to the service', () => {
    const { direct, throughService } = affected('domain/session/session.ts');
    expect(direct).to.include('test/domain/session.test.ts');
    expect(direct.filter((file) => file.startsWith('test/console/'))).to.be.empty;
    expect(throughService).to.include('test/e2e/approvals.test.ts');
  });

  it('leaves the tests of a route and of a page to its path', () => {
    const ofRoute = affected('api/admin/sessionRoutes.ts');
    expect(ofRoute.byPath).to.include('test/e2e/adminPeople.test.ts');
    expect(ofRoute.throughService).not.to.include('test/e2e/adminPeople.test.ts');
    const ofPage = affected('apps/console/src/areas/devices/texts.ts');
    expect(ofPage.byPath).to.include('test/console/people.test.ts');
  });

  it('leads from a file that is read by its name to the tests that read it', () => {
    const { direct } = affected('infrastructure/registry/demo/civil-registry.csv');
    expect(direct).to.include('test/cli/documentation.test.ts');
  });

  for (const [source, test] of [
    ['apps/console/src/main.tsx', 'test/console/signIn.test.ts'],
    ['apps/phone/web/main.tsx', 'test/phone/browserPhone.test.ts'],
    ['apps/site/browser/search.ts', 'test/site/served.test.ts'],
    ['docker/haproxy/haproxy.cfg', 'test/docker/proxies.test.ts'],
    ['docs/operations.md', 'test/site/site.test.ts'],
  ] as const) {
    it(`leads from ${source}, which a browser loads or a program reads, to ${test}`, () => {
      expect(existsSync(source), source).to.equal(true);
      expect(affected(source).direct).to.include(test);
    });
  }
});
