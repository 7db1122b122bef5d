import fc from 'fast-check';
import { z } from 'zod';
import type { Route } from '../../../api/http/route.ts';

/** A request as bytes and texts, nothing of it checked. */
export interface FuzzRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
}

type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * Values that mostly satisfy the schema, so that requests get past it: generated from the schema's own JSON Schema.
 * What that cannot say (refinements) is hit by chance.
 */
function valueOf(schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  const options = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(options))
    return fc.oneof(...options.map((each: JsonSchema) => valueOf(each, known)));
  if ('const' in schema) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]));
  if (schema['type'] === 'object') {
    const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
    const required = (schema['required'] ?? []) as string[];
    const members = Object.entries(properties).map(
      ([key, each]) => [key, valueOfMember(key, each, known)] as const,
    );
    return fc.record(Object.fromEntries(members), { requiredKeys: required });
  }
  if (schema['type'] === 'array') {
    return fc.array(valueOf((schema['items'] ?? {}) as JsonSchema, known), { maxLength: 3 });
  }
  return scalars[String(schema['type'])] ?? fc.jsonValue();
}

/** Values for members by name that get a request past checks no schema states; bodies that are no JSON by media type. */
export type Known = Readonly<Record<string, unknown>>;

function valueOfMember(key: string, schema: JsonSchema, known: Known): fc.Arbitrary<unknown> {
  const any = valueOf(schema, known);
  if (!(key in known) || !mayBe(schema, known[key])) return any;
  return fc.oneof({ weight: 8, arbitrary: fc.constant(known[key]) }, { weight: 1, arbitrary: any });
}

/** Tells whether the value has the schema's type: one name can mean different things in two bodies. */
function mayBe(schema: JsonSchema, value: unknown): boolean {
  const type = schema['type'];
  if (typeof type !== 'string') return true;
  if (type === 'integer') return Number.isInteger(value);
  return type === (Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value);
}

const plausibleText = fc.oneof(
  fc.constantFrom('', '0', 'x'.repeat(61), 'DEMO', 'уа90010112', '110000000001', '😀', '\uFFFD'),
  fc.uuid(),
  fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  fc.constantFrom(...[32, 48, 64].map((length) => Buffer.alloc(length, 1).toString('base64'))),
  // Nested requests carry JSON as base64.
  fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value)).toString('base64')),
  fc.webUrl(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);

const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  string: fc.oneof(plausibleText, fc.string({ unit: 'binary', maxLength: 200 })),
  integer: fc.integer(),
  number: fc.double(),
  boolean: fc.boolean(),
  null: fc.constant(null),
};

function bodySchema(schema: z.ZodType): JsonSchema {
  const { $defs, ...whole } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return inlined(whole, $defs ?? {}) as JsonSchema;
}

/** Schemas that have names stand elsewhere (`$ref`). */
function inlined(node: unknown, named: Readonly<Record<string, JsonSchema>>): unknown {
  if (Array.isArray(node)) return node.map((each) => inlined(each, named));
  if (typeof node !== 'object' || node === null) return node;
  const { $ref: reference, ...members } = node as JsonSchema;
  if (typeof reference === 'string')
    return inlined(named[reference.replace('#/$defs/', '')], named);
  return Object.fromEntries(
    Object.entries(members).map(([key, each]) => [key, inlined(each, named)]),
  );
}

/** A valid value with parts replaced, added or taken away. */
function mutated(value: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.tuple(value, fc.string(), fc.jsonValue(), fc.nat(20)).map(([base, key, odd, where]) => {
    if (typeof base !== 'object' || base === null || Array.isArray(base)) return odd;
    const keys = Object.keys(base);
    const chosen = keys[where] ?? key;
    return { ...base, [chosen]: odd };
  });
}

const nested = (depth: number) =>
  Buffer.from(`${'{"a":['.repeat(depth)}1${']}'.repeat(depth)}`, 'utf8');

const rawBody: fc.Arbitrary<Buffer> = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.string({ unit: 'binary' }).map((text) => Buffer.from(JSON.stringify({ text }), 'utf16le')),
  fc.string({ unit: 'grapheme' }).map((text) => Buffer.from(text)),
  fc.constantFrom(
    Buffer.from('null'),
    Buffer.from('[]'),
    Buffer.from('""'),
    Buffer.from('{'),
    Buffer.from('{"__proto__":{"admin":true},"constructor":{"prototype":1}}'),
    Buffer.from('{"interactions":"W10=","interactions":[]}'),
    Buffer.from('{"a":"\\u0000"}'),
    Buffer.from('{"a":"\0"}'),
    Buffer.from('{"a":"\\ud800"}'),
    Buffer.from('\uFEFF{}'),
    Buffer.from([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
    nested(20),
    nested(3_000),
    Buffer.alloc(100 * 1024, 0x20),
    Buffer.from(`{"a":"${'x'.repeat(200 * 1024)}"}`),
  ),
);

const headerSets = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ 'content-type': 'application/json' }) },
  fc.record({
    'content-type': fc.constantFrom(
      'application/json; charset=utf-8',
      'application/json; charset=latin1',
      'text/plain',
      'multipart/form-data',
      ';;;',
    ),
  }),
  fc.record({
    'content-type': fc.constant('application/json'),
    'content-encoding': fc.constantFrom('gzip', 'identity', 'br, gzip'),
  }),
  fc.record({
    'content-type': fc.constant('application/json'),
    'x-request-id': fc.constantFrom('a', 'ok-request-id', 'x'.repeat(500), '<script>'),
    accept: fc.constantFrom('text/html', '*/*', ';'),
  }),
);

/** One segment of a path: mostly plausible, sometimes not even percent-encoded correctly. */
const segment = fc.oneof(
  fc.constantFrom(
    'PNOMN-110000000001',
    encodeURIComponent('УА90010112'),
    '0b9d1c61-6f0f-4c5e-9a36-0d3c7a2f8b11',
    '%00',
    '%ff',
    '%',
    '%2e%2e',
    '..',
    '%2F',
    'a'.repeat(3_000),
  ),
  fc.uuid(),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).map(encodeURIComponent),
);

const query = fc.oneof(
  { weight: 4, arbitrary: fc.constant('') },
  fc.constantFrom(
    '?timeoutMs=0',
    '?timeoutMs=',
    '?timeoutMs=x',
    '?timeoutMs=0&timeoutMs=1',
    '?%ff',
    '?a=%00',
    '?&&=&',
    '?__proto__=1',
    '?fileName=%F0%9F%98%80',
  ),
  fc.string({ unit: 'grapheme', maxLength: 30 }).map((text) => `?${encodeURIComponent(text)}`),
);

const impatient = (target: string) =>
  // A poll that finds nothing may wait as long as it is asked to; here nobody waits.
  target.includes('?') ? target : `${target}?timeoutMs=0`;

/** The queries above; where the row takes parameters known by name, mostly one of those. */
function queryOf({ query: schema }: Route, known: Known): fc.Arbitrary<string> {
  const names = Object.keys(bodySchema(schema)['properties'] ?? {});
  const pairs = names.flatMap((name) => {
    const value = known[name];
    return typeof value === 'string' ? [`?${name}=${encodeURIComponent(value)}`] : [];
  });
  if (pairs.length === 0) return query;
  return fc.oneof({ weight: 2, arbitrary: fc.constantFrom(...pairs) }, query);
}

/** Bytes for a row that takes no JSON: where some are known for its type, mostly those, whole or cut. */
function bytesOf({ bodyType = '' }: Route, known: Known): fc.Arbitrary<Buffer | null> {
  const any = fc.oneof(fc.constant(null), rawBody);
  const sample = known[bodyType];
  if (!Buffer.isBuffer(sample)) return any;
  const cut = fc.nat(sample.length).map((length) => sample.subarray(0, length));
  return fc.oneof({ weight: 2, arbitrary: fc.constant(sample) }, cut, any);
}

/** A parameter of a path: now and then the value known by its name. */
function parameter(name: string, known: Known): fc.Arbitrary<string> {
  const value = known[name];
  if (typeof value !== 'string') return segment;
  return fc.oneof({ weight: 2, arbitrary: fc.constant(encodeURIComponent(value)) }, segment);
}

/** Requests at one row, from nearly valid to garbage. */
export function requestsTo(row: Route, known: Known = {}): fc.Arbitrary<FuzzRequest> {
  const parts = row.path.split('/');
  const path = fc
    .tuple(
      ...parts.map((part) =>
        part.startsWith(':') ? parameter(part.slice(1), known) : fc.constant(part),
      ),
    )
    .map((filled) => filled.join('/'));
  const jsonOf = (value: fc.Arbitrary<unknown>) =>
    value.map((each) => Buffer.from(JSON.stringify(each)));
  const schema = row.body === null ? null : bodySchema(row.body);
  const body =
    schema === null
      ? bytesOf(row, known)
      : fc.oneof(
          { weight: 3, arbitrary: jsonOf(valueOf(schema, known)) },
          { weight: 3, arbitrary: jsonOf(mutated(valueOf(schema, known))) },
          { weight: 2, arbitrary: rawBody },
          { weight: 1, arbitrary: jsonOf(fc.jsonValue()) },
          { weight: 1, arbitrary: fc.constant(null) },
        );
  return fc.record({ path, query: queryOf(row, known), headers: headerSets, body }).map((each) => ({
    method: row.method,
    target: impatient(each.path + each.query),
    headers: each.headers,
    body: each.body,
  }));
}
