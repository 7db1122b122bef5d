import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { z } from 'zod';
import type { Description, Schema } from '../../apps/site/api/description.ts';
import { apiPages } from '../../apps/site/api/reference.ts';
import { requestOf, sampleOf } from '../../apps/site/api/samples.ts';

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
