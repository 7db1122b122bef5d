import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { eventTypes } from '../../domain/events.ts';
import { consentOf, routeConsents } from './routeConsentTable.ts';

interface Operation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

/** Parameters of paths that name somebody. */
const naming =
  /\{(?:personEtsi|actingPersonEtsi|orgRegister|orgEtsi|etsi|documentNumber)\}|\/etsi\/\{id\}/;

describe('N2, N3: named in a path is not authorized', () => {
  let operations: readonly Operation[];

  before(async () => {
    const openApi = new URL('../../../docs/openapi.json', import.meta.url);
    const { paths } = JSON.parse(await readFile(openApi, 'utf8')) as {
      paths: Record<string, Record<string, { operationId?: string }>>;
    };
    operations = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).flatMap(([method, { operationId: name }]) =>
        name === undefined ? [] : [{ name, method, path }],
      ),
    );
  });

  it('every route says who is named, who consents and which fact it leaves', () => {
    const undeclared = operations.filter(({ name }) => consentOf(name) === undefined);
    expect(undeclared.map(({ name }) => name)).to.deep.equal([]);
    const served = new Set(
      operations.map(({ name }) => name.replace(/\.v1$/, '').replace(/^ai\.v1\./, 'ai.')),
    );
    expect([...routeConsents.keys()].filter((name) => !served.has(name))).to.deep.equal([]);
  });

  it('a route whose address names somebody says so', () => {
    const unsaid = operations.filter(
      ({ name, path }) => naming.test(path) && consentOf(name)?.names === 'nobody',
    );
    expect(unsaid.map(({ name }) => name)).to.deep.equal([]);
  });

  it('what is changed or shown of somebody leaves a fact there is', () => {
    const traceless = [...routeConsents].filter(
      ([, { names, facts }]) => names !== 'nobody' && facts.length === 0,
    );
    expect(
      traceless.map(([name]) => name),
      'public certificates',
    ).to.deep.equal(['sealCertificate']);
    const facts = new Set([...routeConsents.values()].flatMap((row) => row.facts));
    expect([...facts].filter((fact) => !eventTypes.has(fact))).to.deep.equal([]);
  });
});
