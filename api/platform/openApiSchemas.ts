import { z } from 'zod';
import { nameAfter, placeOf, schemaNames } from './schemaNames.ts';

// Schemas of the description: named, as generators of clients read them.

export type Json = Readonly<Record<string, unknown>>;

/** A body or an answer of an operation. */
export interface Part {
  readonly operation: string;
  /** `body`, or the status of the answer. */
  readonly part: string;
  readonly schema: z.ZodType;
  readonly io: 'input' | 'output';
}

export type Components = ReturnType<typeof createComponents>;

/**
 * Schemas with a name are written once, among the components.
 *
 * @param parts all bodies and answers: what stands in several places has the name of the one that is named
 */
export function createComponents(parts: readonly Part[]) {
  const named: Record<string, Json> = {};

  function add(id: string, schema: Json): void {
    if (id in named && JSON.stringify(named[id]) !== JSON.stringify(schema)) {
      throw new Error(`Two different schemas are called ${id}.`);
    }
    named[id] = schema;
  }

  /** Schema in place; those with an id of their own are added and referred to. */
  function of(schema: z.ZodType, io: Part['io']): Json {
    const options = { io, unrepresentable: 'any' } as const;
    const { $defs = {}, ...shape } = z.toJSONSchema(schema, options);
    delete shape.$schema;
    for (const [id, each] of Object.entries($defs)) add(id, published(each) as Json);
    return published(shape) as Json;
  }

  const chosen = new Map<string, string>();
  for (const { operation, part, schema, io } of parts) {
    const name = schemaNames.get(placeOf(operation, part));
    if (name !== undefined) chosen.set(JSON.stringify(of(schema, io)), name);
  }

  return {
    of,
    /** Reference to a body or an answer, which is added under its name; bytes stay in place. */
    named({ operation, part, schema, io }: Part): Json {
      const shape = of(schema, io);
      if ('$ref' in shape || shape['format'] === 'binary') return shape;
      const name = chosen.get(JSON.stringify(shape)) ?? nameAfter(operation, part);
      add(name, shape);
      return { $ref: `#/components/schemas/${name}` };
    },
    all: () => Object.fromEntries(Object.entries(named).sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

interface Schema {
  readonly $ref?: string;
  readonly type?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A schema as published: without `internal` fields, with references into the components. */
function published(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((each) => !isInternal(each)).map(published);
  if (typeof value !== 'object' || value === null) return value;
  const hidden = Object.entries((value as Schema).properties ?? {})
    .filter(([, each]) => isInternal(each))
    .map(([name]) => name);
  return nullable(
    onlyOne(
      Object.fromEntries(
        Object.entries(value)
          .filter(([, each]) => !isInternal(each))
          .map(([name, each]) => [name, publishedMember(name, each, hidden)]),
      ),
    ),
  );
}

/** A union of which one alternative is published is that alternative. */
function onlyOne({ oneOf, ...rest }: Schema): Schema {
  const [only, ...more] = oneOf ?? [];
  return only === undefined || more.length > 0
    ? { ...(oneOf !== undefined && { oneOf }), ...rest }
    : { ...only, ...rest };
}

function publishedMember(name: string, value: unknown, hidden: readonly string[]): unknown {
  if (name === '$ref') return String(value).replace('#/$defs/', '#/components/schemas/');
  if (name === 'required' && Array.isArray(value)) {
    return value.filter((each) => !hidden.includes(String(each)));
  }
  return published(value);
}

function isInternal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'internal' in value;
}

/** A type or null as one schema with both types: of alternatives, generators make a class of its own. */
function nullable(schema: Schema): Schema {
  const { anyOf = [], ...rest } = schema;
  const [one, none, ...more] = anyOf;
  if (typeof one?.type !== 'string' || none?.type !== 'null' || more.length > 0) return schema;
  const { const: only, ...type } = one;
  const values = only === undefined ? type.enum : [only];
  return {
    ...type,
    ...rest,
    type: [one.type, 'null'],
    ...(values !== undefined && { enum: [...values, null] }),
  };
}

/** Names in each union of named schemas the member whose value tells them apart, where there is one. */
export function withDiscriminators<Document extends { components: { schemas: Json } }>(
  document: Document,
): Document {
  const named = document.components.schemas as Readonly<Record<string, Schema>>;

  function discriminated(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(discriminated);
    if (typeof value !== 'object' || value === null) return value;
    const { anyOf, oneOf = anyOf, ...rest } = value as Schema;
    const discriminator = oneOf === undefined ? null : discriminatorOf(oneOf);
    return discriminator === null
      ? Object.fromEntries(Object.entries(value).map(([name, each]) => [name, discriminated(each)]))
      : { ...rest, oneOf, discriminator };
  }

  function discriminatorOf(members: readonly Schema[]): Json | null {
    const references = members.flatMap(({ $ref }) => ($ref === undefined ? [] : [$ref]));
    if (references.length < 2 || references.length < members.length) return null;
    const schemas = references.map(($ref) => named[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {});
    for (const propertyName of Object.keys(schemas[0]?.properties ?? {})) {
      const values = schemas.map(({ properties }) => properties?.[propertyName]?.const);
      if (values.some((each) => typeof each !== 'string')) continue;
      if (new Set(values).size < values.length) continue;
      const mapping = references.map(($ref, index) => [String(values[index]), $ref]);
      return { propertyName, mapping: Object.fromEntries(mapping) as Json };
    }
    return null;
  }

  return discriminated(document) as Document;
}
