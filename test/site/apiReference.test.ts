import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { z } from 'zod';
import type { Description, Operation, Schema } from '../../apps/site/api/description.ts';
import { aboutField, aboutParameter, apiPages } from '../../apps/site/api/reference.ts';
import { alternativesOf, requestOf, sampleOf } from '../../apps/site/api/samples.ts';

const description = JSON.parse(readFileSync('docs/openapi.json', 'utf8')) as Description;
const { schemas } = description.components;

const operations = Object.entries(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** Faults of the examples of a schema, as an answer and as a request. */
function faultsOf(schema: Schema): string {
  const text = JSON.stringify({ ...schema, $defs: schemas });
  const checked = z.fromJSONSchema(
    JSON.parse(
      text.replaceAll('#/components/schemas/', '#/$defs/'),
    ) as z.core.JSONSchema.JSONSchema,
  );
  return [sampleOf(schema, schemas), requestOf(schema, schemas)]
    .map((example) => checked.safeParse(example).error)
    .map((error) => (error === undefined ? '' : z.prettifyError(error)))
    .join('');
}

/** Schemas of the bodies of an operation in JSON: of the request, then of the answers. */
const bodiesOf = (operation: Operation) =>
  [
    operation.requestBody?.content,
    ...Object.values(operation.responses).map((each) => each.content),
  ]
    .flatMap((content) => content?.['application/json']?.schema ?? [])
    .flatMap((schema) => [schema, ...alternativesOf(resolved(schema))]);

function resolved(schema: Schema): Schema {
  return schemas[schema.$ref?.replace('#/components/schemas/', '') ?? ''] ?? schema;
}

/** Places of a value in which a name in angle brackets stands for a text. */
function placeholdersIn(value: unknown, place: string): readonly string[] {
  if (typeof value === 'string') return /^<.*>$/.test(value) ? [place] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => placeholdersIn(each, `${place}.${name}`));
}

describe('The API reference', function () {
  this.timeout(60_000);

  it('has every operation, with an example request', () => {
    const text = apiPages()
      .map(({ main }) => main.text)
      .join('\n');
    for (const { operation } of operations) {
      expect(text).to.include(`<h2 id="${operation.operationId}">`);
    }
    expect(text.match(/<code>curl -sS /g)).to.have.length(operations.length);
    expect(text).not.to.match(/undefined|\[object/);
  });

  it('begins with what relying parties call', () => {
    const [index, first] = apiPages();
    expect(first?.path).to.equal('api/rp.html');
    expect(/<h2><a href="([^"]*)"/.exec(index?.main.text ?? '')?.[1]).to.equal('rp.html');
  });

  it('has values in its examples, no names in the place of values', () => {
    const bare = operations.flatMap(({ operation }) =>
      bodiesOf(operation)
        .flatMap((schema) => [sampleOf(schema, schemas), requestOf(schema, schemas)])
        .flatMap((example) => placeholdersIn(example, operation.operationId)),
    );
    expect([...new Set(bare)].slice(0, 20), 'apps/site/api/values/').to.deep.equal([]);
    const addresses = apiPages().flatMap(
      ({ main }) => main.text.match(/\$RP_API_BASE\/.*?&quot;/g) ?? [],
    );
    expect(addresses).to.have.length(operations.length);
    expect(addresses.filter((each) => each.includes('&lt;'))).to.deep.equal([]);
  });

  it('says what each parameter and each field of a request is', () => {
    const silent = operations.flatMap(({ path, method, operation }) => [
      ...operation.parameters
        .filter((each) => aboutParameter(each, { ...operation, path, method }) === '')
        .map(({ name }) => `${operation.operationId}: ${name}`),
      ...[operation.requestBody?.content['application/json']?.schema ?? []]
        .flat()
        .flatMap((schema) => [schema, ...alternativesOf(resolved(schema))])
        .flatMap((schema) => {
          const called = schema.$ref?.replace('#/components/schemas/', '') ?? '';
          return Object.entries(resolved(schema).properties ?? {})
            .filter(([name, each]) => aboutField(each, `${called}.${name}`) === '')
            .map(([name]) => `${called}.${name}`);
        }),
    ]);
    expect([...new Set(silent)].slice(0, 30), 'apps/site/api/fieldTexts.ts').to.deep.equal([]);
  });

  it('shows the second generation first, its interactions readable, and the right addresses', () => {
    const main = apiPages().find(({ path }) => path === 'api/rp.html')?.main.text ?? '';
    const [, first = ''] = main.split('<section class="operation">');
    expect(first).to.include('signatureProtocolParameters');
    expect(first).to.include('confirmationMessageAndVerificationCodeChoice');
    expect(main).to.include('https://eid.example/device-link');
    expect(main).to.include('&quot;state&quot;: &quot;COMPLETE&quot;');
  });

  it('has examples that satisfy the schemas: requests and answers', () => {
    const faults = operations.flatMap(({ operation }) =>
      [
        operation.requestBody?.content,
        ...Object.values(operation.responses).map((each) => each.content),
      ]
        .flatMap((content) => content?.['application/json']?.schema ?? [])
        .map((schema) => `${operation.operationId}: ${faultsOf(schema)}`)
        .filter((fault) => !fault.endsWith(': ')),
    );
    expect(faults.slice(0, 20).join('\n')).to.equal('');
  });
});
