import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect } from 'chai';
import { describedBy } from '../../main/cli/documentation.ts';
import { openApiFile } from '../../main/cli/release/releaseFiles.ts';
import type { Route } from '../../api/http/route.ts';
import {
  type DemoInstallation,
  startDemoInstallation,
} from '../support/installation/demoInstallation.ts';

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly object[];
}

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

  it('names a way to identify for every route that is not public', () => {
    const open = (route: Route) => route.guard.security === undefined;
    for (const route of installation.service.routes) {
      expect(open(route), route.name).to.equal(route.guard.description === 'public');
    }
  });
});
