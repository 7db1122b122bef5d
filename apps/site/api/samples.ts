import type { Schema } from './description.ts';
import { behind, within } from './places.ts';
import { fieldValues, leftOut } from './values/values.ts';

/** Named schemas of the description. */
export type Schemas = Readonly<Record<string, Schema>>;

const byFormat: Readonly<Record<string, unknown>> = {
  'date-time': '2026-01-31T08:15:30.000Z',
  date: '2026-01-31',
  uuid: '9b2f7d1c-53a4-4f7e-8a60-2f4f6d0b9c11',
  uri: 'https://bank.example/return',
  email: 'operator@tamga.example',
  base64: 'VGFtZ2E=',
  binary: '<file>',
};

/** Beginnings of patterns of the description, and a value of each. */
const byPattern: readonly (readonly [start: string, value: string])[] = [
  ['^[0-9a-f]{64}$', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
  ['^[A-Za-z0-9_-]{43}$', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'],
  ['^\\d{4,5}$', '7180'],
  ['^-?\\d', '42'],
  ['^\\d', '42'],
  ['^[0-9a-fA-F-]{36}', '9b2f7d1c-53a4-4f7e-8a60-2f4f6d0b9c11'],
  ['^[0-9a-f]{8}-', '9b2f7d1c-53a4-4f7e-8a60-2f4f6d0b9c11'],
  ['^([0-9a-fA-F]{8}-', '9b2f7d1c-53a4-4f7e-8a60-2f4f6d0b9c11'],
];

/** A key of objects whose keys are free, by the name of the object. */
const keysOf: Readonly<Record<string, string>> = {
  dependencies: 'database',
  reasons: 'database',
  endpoints: 'session',
  variables: 'OIDC_ISSUER',
  details: 'certificateLevel',
  before: 'status',
  after: 'status',
};

/** Depth beyond which optional fields are left out. */
const DEEP = 4;

/** Forms of values by the name of their format. */
const formats: Readonly<Record<string, RegExp>> = {
  'date-time': /^\d{4}-\d\d-\d\dT/,
  date: /^\d{4}-\d\d-\d\d$/,
  uuid: /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  uri: /^[a-z]+:\/\//,
  email: /^[^@ ]+@[^@ ]+$/,
  base64: /^[A-Za-z0-9+/]+=*$/,
};

/** Forms of a schema that differ, the second generation of the API first. */
export function alternativesOf({ oneOf, anyOf }: Schema): readonly Schema[] {
  const isNested = ({ $ref = '' }: Schema) => /\/(?:Nested|Linked)[A-Z]/.test($ref);
  return (oneOf ?? anyOf ?? [])
    .filter(({ type }) => type !== 'null')
    .toSorted((one, other) => Number(isNested(other)) - Number(isNested(one)));
}

/** The value that is set for a field, where the schema allows it. */
function valueOf(place: string, schema: Schema): string | null | undefined {
  const value = behind(fieldValues, place);
  return value !== undefined && allows(schema, value) ? value : undefined;
}

function allows(schema: Schema, value: string | null): boolean {
  const { $ref, type, oneOf, anyOf } = schema;
  if (schema.const !== undefined || schema.examples !== undefined) return false;
  const types = [type ?? (oneOf ?? anyOf ?? []).map((each) => each.type ?? [])].flat(2);
  if (value === null) return types.includes('null');
  if (schema.enum !== undefined) return schema.enum.includes(value);
  const isAny = [$ref, type, oneOf, anyOf].every((each) => each === undefined);
  return isAny || ([type].flat().includes('string') && fits(value, schema));
}

function fits(
  value: string,
  { format, pattern, minLength = 0, maxLength = Infinity }: Schema,
): boolean {
  if (value.length < minLength || value.length > maxLength) return false;
  if (format !== undefined && formats[format]?.test(value) !== true) return false;
  return pattern === undefined || new RegExp(pattern).test(value);
}

/**
 * Makes an example of a schema: what is named, then what the schema offers, then what its format asks for.
 *
 * @throws Error for a schema that no value is known for
 */
export function sampleOf(schema: Schema, schemas: Schemas, name = '', depth = 0): unknown {
  const known = valueOf(name, schema);
  const value = known === undefined ? offeredBy(schema) : known;
  if (value !== undefined) return value;
  if (schema.$ref !== undefined) {
    const called = schema.$ref.replace('#/components/schemas/', '');
    const target = schemas[called];
    if (target === undefined) throw new Error(`${schema.$ref} is not described.`);
    return depth > DEEP * 3 ? {} : sampleOf(target, schemas, within(name, called), depth + 1);
  }
  const [alternative] = alternativesOf(schema);
  return alternative === undefined
    ? typedSample(schema, schemas, name, depth)
    : sampleOf(alternative, schemas, name, depth);
}

/** Makes an example of a request: its required fields, or all where none is. */
export function requestOf(schema: Schema, schemas: Schemas): unknown {
  const least = sampleOf(schema, schemas, '', DEEP);
  const isEmpty = typeof least === 'object' && Object.keys(least ?? {}).length === 0;
  return isEmpty ? sampleOf(schema, schemas) : least;
}

function typedSample(schema: Schema, schemas: Schemas, name: string, depth: number): unknown {
  if (schema.type === 'null') return null;
  const type = [schema.type ?? []].flat().find((each) => each !== 'null');
  if (type === 'object') return objectOf(schema, schemas, name, depth);
  if (type !== 'array') return scalarOf(schema, type, name);
  return [sampleOf(schema.items ?? {}, schemas, name, depth + 1)];
}

function offeredBy({ const: constant, enum: values, examples, default: usual }: Schema): unknown {
  return constant ?? examples?.[0] ?? usual ?? values?.[0];
}

function objectOf(
  { properties, required = [], additionalProperties }: Schema,
  schemas: Schemas,
  place: string,
  depth: number,
) {
  const fields = Object.entries(properties ?? {})
    .filter(
      ([name]) =>
        required.includes(name) ||
        (depth < DEEP && behind(leftOut, within(place, name)) === undefined),
    )
    .map(
      ([name, each]) => [name, sampleOf(each, schemas, within(place, name), depth + 1)] as const,
    );
  if (fields.length === 0 && typeof additionalProperties === 'object') {
    const [field = ''] = place.split('.').slice(-1);
    const key = keysOf[field] ?? 'name';
    return { [key]: sampleOf(additionalProperties, schemas, place, depth + 1) };
  }
  return Object.fromEntries(fields);
}

function scalarOf(schema: Schema, type: string | undefined, name: string): unknown {
  switch (type) {
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.max(1, schema.minimum ?? 1);
    default:
      return textOf(schema, name);
  }
}

function textOf({ format, pattern }: Schema, name: string): unknown {
  if (format !== undefined && format in byFormat) return byFormat[format];
  const known = byPattern.find(([start]) => pattern?.startsWith(start));
  return known?.[1] ?? `<${name === '' ? 'text' : name}>`;
}
