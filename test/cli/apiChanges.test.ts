import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { breakingChanges } from '../../main/cli/release/apiChanges.ts';
import { readChangelog } from '../../main/cli/release/changelog.ts';
import { unannouncedChanges } from '../../main/cli/release/checkApi.ts';
import type { OpenApiDocument, Schema } from '../../main/cli/release/openApiDocument.ts';
import {
  describedReleases,
  openApiFile,
  releaseFile,
} from '../../main/cli/release/releaseFiles.ts';

interface Surface {
  readonly body?: Schema;
  readonly answer?: Schema;
  readonly parameters?: readonly { name: string; in: string; required?: boolean; schema: Schema }[];
  readonly security?: readonly Readonly<Record<string, unknown>>[];
  readonly path?: string;
  readonly name?: string;
  readonly status?: string;
  readonly version?: string;
  readonly schemas?: Readonly<Record<string, Schema>>;
}

const text: Schema = { type: 'string' };
const object = (properties: Readonly<Record<string, Schema>>, required: readonly string[] = []) =>
  ({ type: 'object', properties, required }) as const;

/** A service of one row. */
function described(surface: Surface = {}): OpenApiDocument {
  const { body, answer = object({}), parameters = [], security = [], schemas = {} } = surface;
  return {
    info: { version: surface.version ?? '1.2.0' },
    paths: {
      [surface.path ?? '/rows/{id}']: {
        post: {
          operationId: surface.name ?? 'row',
          security,
          parameters,
          ...(body !== undefined && {
            requestBody: { required: true, content: { 'application/json': { schema: body } } },
          }),
          responses: {
            [surface.status ?? '200']: { content: { 'application/json': { schema: answer } } },
          },
        },
      },
    },
    components: { schemas },
  };
}

/** Incompatibilities of `after` for callers of `before`. */
function lost(before: Surface, after: Surface): readonly string[] {
  return breakingChanges(described(before), described(after)).flatMap(({ changes }) => changes);
}

const bodies = (before: Schema, after: Schema) => lost({ body: before }, { body: after });
const answers = (before: Schema, after: Schema) => lost({ answer: before }, { answer: after });

describe('Breaking changes of the API', () => {
  it('are none between a description and itself', () => {
    const document = JSON.parse(readFileSync(openApiFile, 'utf8')) as OpenApiDocument;
    expect(breakingChanges(document, document)).to.deep.equal([]);
  });

  it('are operations that went away, under their address or their name', () => {
    const moved = breakingChanges(described(), described({ path: '/lines/{id}' }));
    expect(moved).to.deep.equal([{ operation: 'POST /rows/{id}', changes: ['it is gone'] }]);
    expect(lost({}, { name: 'line' })).to.deep.equal(['it is not called row any more']);
    expect(lost({}, { path: '/rows/{number}' })).to.deep.equal([]);
  });

  it('are no files of pages', () => {
    expect(lost({ path: '/assets/page.1.js' }, { path: '/assets/page.2.js' })).to.deep.equal([]);
  });

  it('are callers no longer let in', () => {
    const [secret, session] = [{ apiSecret: [] }, { operatorSession: [] }];
    expect(lost({}, { security: [secret] })).to.deep.equal(['it is not public any more']);
    expect(lost({ security: [secret, session] }, { security: [session] })).to.have.length(1);
    expect(lost({ security: [session] }, { security: [session, secret] })).to.deep.equal([]);
    expect(lost({ security: [session] }, {})).to.deep.equal([]);
  });

  it('are parameters that went away, must be sent now or take less', () => {
    const parameter = (required: boolean, schema = text) => ({
      parameters: [{ name: 'q', in: 'query', required, schema }],
    });
    expect(lost(parameter(false), {})).to.deep.equal(['parameter q is gone']);
    expect(lost({}, parameter(true))).to.deep.equal(['parameter q must be sent']);
    expect(lost(parameter(false), parameter(true))).to.deep.equal(['parameter q must be sent']);
    expect(lost({}, parameter(false))).to.deep.equal([]);
    expect(lost(parameter(false), parameter(false, { ...text, maxLength: 5 }))).to.deep.equal([
      'parameter q has a narrower maxLength',
    ]);
  });

  it('are bodies that must be sent, are taken no more, or are of another type', () => {
    expect(lost({}, { body: object({}) })).to.deep.equal(['a body must be sent']);
    expect(lost({ body: object({}) }, {})).to.deep.equal(['it takes no body any more']);
    expect(lost({}, { status: '201' })).to.deep.equal(['it does not answer 200 any more']);
  });

  it('are requests that must have more or may have less', () => {
    expect(bodies(object({}), object({ a: text }, ['a']))).to.deep.equal(['body.a must be sent']);
    expect(bodies(object({ a: text }), object({}))).to.deep.equal(['body.a is gone']);
    expect(bodies(object({}), object({ a: text }))).to.deep.equal([]);
    expect(bodies(object({ a: text }, ['a']), object({ a: text }))).to.deep.equal([]);
    expect(bodies(object({}), { ...object({}), additionalProperties: false })).to.have.length(1);
  });

  it('are requests whose values are narrower', () => {
    const wide: Schema = { type: 'string', enum: ['A', 'B'] };
    expect(bodies(wide, { type: 'string', enum: ['A'] })).to.deep.equal([
      'body has no value B any more',
    ]);
    expect(bodies(wide, { const: 'A' })).to.have.length(1);
    expect(bodies(text, wide)).to.deep.equal(['body takes only A, B']);
    expect(bodies({ type: 'string', enum: ['A'] }, wide)).to.deep.equal([]);
    expect(bodies(wide, text)).to.deep.equal([]);
    expect(bodies(text, { ...text, pattern: '^a' })).to.deep.equal(['body has another pattern']);
    expect(bodies({ ...text, pattern: '^a' }, text)).to.deep.equal([]);
    expect(bodies({ ...text, minLength: 1 }, { ...text, minLength: 2 })).to.have.length(1);
    expect(bodies({ ...text, minLength: 2 }, { ...text, minLength: 1 })).to.deep.equal([]);
    expect(bodies({ type: 'number' }, { type: 'integer' })).to.have.length(1);
    expect(bodies({ type: 'integer' }, { type: 'number' })).to.deep.equal([]);
  });

  it('are requests with one shape less, of several', () => {
    const shapes = { oneOf: [object({ a: text }, ['a']), { type: 'null' }] };
    expect(bodies(shapes, object({ a: text }, ['a']))).to.deep.equal([
      'body was null and is object',
    ]);
    expect(bodies(object({ a: text }, ['a']), shapes)).to.deep.equal([]);
    expect(bodies({ type: ['string', 'null'] }, text)).to.have.length(1);
  });

  it('are answers with less in them, however deep', () => {
    const item = object({ a: text, b: text }, ['a', 'b']);
    const list = (items: Schema) => object({ items: { type: 'array', items } }, ['items']);
    expect(answers(list(item), list(object({ a: text }, ['a'])))).to.deep.equal([
      '200.items[].b is gone',
    ]);
    expect(answers(list(item), list(object({ a: text, b: text }, ['a'])))).to.deep.equal([
      '200.items[].b may be missing',
    ]);
    expect(answers(list(object({ a: text }, ['a'])), list(item))).to.deep.equal([]);
  });

  it('are answers of another or a further type', () => {
    const nullable: Schema = { anyOf: [text, { type: 'null' }] };
    expect(answers(text, nullable)).to.deep.equal(['200 was string and is null']);
    expect(answers(nullable, text)).to.deep.equal([]);
    expect(answers({ type: 'integer' }, text)).to.deep.equal(['200 was integer and is string']);
    expect(answers({ ...text, format: 'date-time' }, text)).to.deep.equal([
      '200 has another format',
    ]);
  });

  it('are none where a value or null is written otherwise', () => {
    const [apart, together]: readonly Schema[] = [
      { anyOf: [{ type: 'string', enum: ['A', 'B'] }, { type: 'null' }] },
      { type: ['string', 'null'], enum: ['A', 'B', null] },
    ];
    for (const [before = {}, now = {}] of [
      [apart, together],
      [together, apart],
    ]) {
      expect(answers(before, now)).to.deep.equal([]);
      expect(bodies(before, now)).to.deep.equal([]);
    }
    const less: Schema = { type: ['string', 'null'], enum: ['A', null] };
    expect(answers(apart ?? {}, less)).to.deep.equal(['200 has no value B any more']);
    expect(answers({ type: 'string', enum: ['A'] }, less)).to.deep.equal([
      '200 was string and is null',
    ]);
  });

  it('are none where a schema gets a name', () => {
    const schemas = { Row: object({ a: text }, ['a']) };
    const named = { $ref: '#/components/schemas/Row' };
    expect(lost({ answer: schemas.Row }, { answer: named, schemas })).to.deep.equal([]);
    expect(lost({ body: schemas.Row }, { body: named, schemas })).to.deep.equal([]);
  });

  it('are faults that are not listed any more, unless all others are', () => {
    const faults = { status: '4XX', answer: object({ code: text }) };
    expect(lost(faults, { ...faults, status: 'default' })).to.deep.equal([]);
    expect(lost(faults, { status: 'default' })).to.deep.equal(['4XX.code is gone']);
    expect(lost({ status: '200' }, { status: 'default' })).to.deep.equal([
      'it does not answer 200 any more',
    ]);
  });

  it('are values an answer no longer has, not those it gains', () => {
    const [two, three]: readonly Schema[] = [
      { anyOf: [{ const: 'RUNNING' }, { const: 'COMPLETE' }] },
      { type: 'string', enum: ['RUNNING', 'COMPLETE', 'EXPIRED'] },
    ];
    expect(answers(two ?? {}, three ?? {})).to.deep.equal([]);
    expect(answers(three ?? {}, two ?? {})).to.deep.equal(['200 has no value EXPIRED any more']);
  });

  it('are found behind references, and schemas may refer to themselves', () => {
    const node = (value: Schema) => ({
      answer: { $ref: '#/components/schemas/Node' },
      schemas: { Node: object({ value, next: { $ref: '#/components/schemas/Node' } }) },
    });
    expect(lost(node(text), node(text))).to.deep.equal([]);
    expect(lost(node(text), node({ type: 'integer' }))).to.deep.equal([
      '200.value was string and is integer',
    ]);
  });

  it('are found in what several schemas say together, and in maps', () => {
    const both = (second: Schema) => ({ allOf: [object({ a: text }), second] });
    expect(answers(both(object({ b: text })), both(object({})))).to.deep.equal(['200.b is gone']);
    const map = (value: Schema): Schema => ({ type: 'object', additionalProperties: value });
    expect(answers(map(text), map({ type: 'null' }))).to.deep.equal([
      '200.* was string and is null',
    ]);
  });
});

describe('Breaking changes nobody announced', () => {
  const released = described({ answer: object({ a: text }) });
  const changelog = (entry: string) =>
    readChangelog(`# Changelog\n\n## [Unreleased]\n\n${entry}\n`);
  const found = (entry: string, version = '1.3.0') =>
    unannouncedChanges({
      released,
      present: described({ answer: object({}), version }),
      changelog: changelog(entry),
    });

  it('are those the changelog does not name', () => {
    expect(found('')).to.have.length(1);
    expect(found('### Added\n\n- `POST /rows/{id}` is new.')).to.have.length(1);
    expect(found('### Removed\n\n- `POST /rows/{id}/more` is gone.')).to.have.length(1);
  });

  it('are none when the changelog names the operation, or the major version rose', () => {
    expect(found('### Removed\n\n- `a` of the answer to `POST /rows/{id}`.')).to.deep.equal([]);
    expect(found('### Changed\n\n- Of the answer to\n  `POST /rows/{id}`, `a`.')).to.deep.equal([]);
    expect(found('', '2.0.0')).to.deep.equal([]);
  });

  it('are found in what is described of this service', () => {
    const base = JSON.parse(
      readFileSync(releaseFile(describedReleases().at(-1) ?? ''), 'utf8'),
    ) as OpenApiDocument;
    const planted = structuredClone(base) as { paths: Record<string, Record<string, unknown>> };
    delete planted.paths['/v3/session/{sessionId}']?.['get'];
    const changes = unannouncedChanges({
      released: base,
      present: planted as unknown as OpenApiDocument,
      changelog: [],
    });
    expect(changes).to.deep.equal([
      { operation: 'GET /v3/session/{sessionId}', changes: ['it is gone'] },
    ]);
  });
});
