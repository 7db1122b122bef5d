import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { describedBy } from '../../main/cli/documentation.ts';
import { openApiFile } from '../../main/cli/release/releaseFiles.ts';
import type { Route } from '../../api/http/route.ts';
import { schemaNames } from '../../api/platform/schemaNames.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';

interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema?: object }>>;

/** Names that a language has itself, beside those of this one: a generated class would hide them, or not compile. */
const takenNames = [
  // Browsers.
  ...[
    'Document',
    'Element',
    'Event',
    'File',
    'FileList',
    'Image',
    'Location',
    'Node',
    'Notification',
  ],
  ...['Option', 'Range', 'Request', 'Response', 'Selection', 'Storage', 'Text', 'Window', 'Worker'],
  // Java and C#.
  ...[
    'Action',
    'Attribute',
    'Boolean',
    'Byte',
    'Character',
    'Class',
    'Console',
    'Delegate',
    'Double',
  ],
  ...[
    'Enum',
    'Environment',
    'Exception',
    'Float',
    'Func',
    'Guid',
    'Integer',
    'Iterable',
    'List',
    'Long',
  ],
  ...[
    'Module',
    'Operation',
    'Override',
    'Package',
    'Process',
    'Random',
    'Record',
    'Runtime',
    'Short',
  ],
  ...['Single', 'System', 'Task', 'Thread', 'Throwable', 'Tuple', 'Type', 'Uri', 'Version', 'Void'],
  // Python, Go, Kotlin and Swift.
  ...['Any', 'Optional', 'Result', 'Self', 'Unit', 'Warning', 'Data', 'Decimal', 'Dictionary'],
];

describe('The OpenAPI document', function () {
  this.timeout(60_000);
  let installation: DemoInstallation;
  let text: string;
  let document: OpenApi;

  before(async () => {
    installation = await startDemoInstallation();
    text = await describedBy(installation.service.origin);
    document = JSON.parse(text) as OpenApi;
  });

  after(() => installation.stop());

  it('is the one that ./tamga docs wrote', () => {
    expect(text === readFileSync(openApiFile, 'utf8'), 'Run ./tamga docs.').to.equal(true);
  });

  it('is valid OpenAPI 3.1 for a validator that is not ours', async () => {
    const { valid, errors } = await new Validator().validate(text);
    expect(valid, JSON.stringify(errors)).to.equal(true);
    const broken = { ...document, paths: { '/x': { get: { responses: 7 } } } };
    expect((await new Validator().validate(broken)).valid).to.equal(false);
  });

  it('describes every route once, and says of each what it answers', () => {
    const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
    const described = operations.map(({ operationId }) => operationId).sort();
    const { routes } = installation.service;
    expect(described).to.deep.equal(routes.map(({ name }) => name).sort());
    const silent = routes.filter(({ response }) => response === undefined);
    expect(silent.map(({ name }) => name)).to.deep.equal([]);
  });

  it('has a named schema for every body and every answer of JSON', () => {
    const inline = Object.values(document.paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ operationId, requestBody, responses }) =>
        [requestBody, ...Object.values(responses)]
          .map((each) => each?.content?.['application/json']?.schema)
          .filter((schema) => schema !== undefined && !('$ref' in schema))
          .map(() => operationId),
      );
    expect(inline).to.deep.equal([]);
  });

  it('has no schema that is called as a class of a language is', () => {
    const taken = new Set([...Object.getOwnPropertyNames(globalThis), ...takenNames]);
    const names = Object.keys(document.components.schemas);
    expect(names.filter((name) => taken.has(name))).to.deep.equal([]);
    expect(names.filter((name) => !/^[A-Z][A-Za-z0-9]+$/u.test(name))).to.deep.equal([]);
  });

  it('has all names that bodies and answers are given', () => {
    const names = Object.keys(document.components.schemas);
    expect([...schemaNames.values()].filter((name) => !names.includes(name))).to.deep.equal([]);
  });

  it('names a way to identify for every route that is not public', () => {
    const open = (route: Route) => route.guard.security === undefined;
    for (const route of installation.service.routes) {
      expect(open(route), route.name).to.equal(route.guard.description === 'public');
    }
  });
});
