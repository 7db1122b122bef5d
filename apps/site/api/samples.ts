import type { Schema } from './description.ts';

/** Named schemas of the description. */
export type Schemas = Readonly<Record<string, Schema>>;

/** Values of fields that a pattern or a use asks for, by name. */
const byName: Readonly<Record<string, unknown>> = {
  relyingPartyUUID: '6d3f1f0e-2b6a-4c1d-9a53-0c8a6b1f7e21',
  relyingPartyName: 'Demo Bank',
  displayText60: 'Log in to Demo Bank',
  displayText200: 'Pay 25,000 MNT to Bat-Erdene',
  rpChallenge:
    'YSBjaGFsbGVuZ2Ugb2YgNjQgcmFuZG9tIGJ5dGVzLCBtYWRlIGFuZXcgZm9yIGVhY2ggbG9naW46IHRhbWdhIQ==',
  digest: '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
  email: 'operator@tamga.example',
  contactPhone: '+976 7700 0000',
  fileName: 'contract.pdf',
  personEtsi: 'PNOMN-110000000001',
  orgEtsi: 'NTRMN-1234567',
  orgRegister: '1234567',
  voice: 'mn-1',
  regNo: 'уб85010112',
  signerRegNo: 'уб85010112',
  civilId: '110000000001',
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
};

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

/** Depth beyond which optional fields are left out. */
const DEEP = 4;

/**
 * Makes an example of a schema: what is named, then what the schema offers, then what its format asks for.
 *
 * @throws Error for a schema that no value is known for
 */
export function sampleOf(schema: Schema, schemas: Schemas, name = '', depth = 0): unknown {
  const offered = offeredBy(schema);
  if (offered !== undefined) return offered;
  if (schema.$ref !== undefined) {
    const target = schemas[schema.$ref.replace('#/components/schemas/', '')];
    if (target === undefined) throw new Error(`${schema.$ref} is not described.`);
    return depth > DEEP * 3 ? {} : sampleOf(target, schemas, name, depth + 1);
  }
  const [alternative] = (schema.oneOf ?? schema.anyOf ?? []).filter(({ type }) => type !== 'null');
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
  if (type === 'object') return objectOf(schema, schemas, depth);
  if (type !== 'array') return scalarOf(schema, type, name);
  return [sampleOf(schema.items ?? {}, schemas, name.replace(/s$/, ''), depth + 1)];
}

function offeredBy({ const: constant, enum: values, examples, default: usual }: Schema): unknown {
  return constant ?? examples?.[0] ?? usual ?? values?.[0];
}

function objectOf(
  { properties, required = [], additionalProperties }: Schema,
  schemas: Schemas,
  depth: number,
) {
  const fields = Object.entries(properties ?? {})
    .filter(([name]) => depth < DEEP || required.includes(name))
    .map(([name, each]) => [name, sampleOf(each, schemas, name, depth + 1)] as const);
  if (fields.length === 0 && typeof additionalProperties === 'object') {
    return { name: sampleOf(additionalProperties, schemas, 'name', depth + 1) };
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
  if (name in byName) return byName[name];
  if (format !== undefined && format in byFormat) return byFormat[format];
  const known = byPattern.find(([start]) => pattern?.startsWith(start));
  return known?.[1] ?? `<${name === '' ? 'text' : name}>`;
}
