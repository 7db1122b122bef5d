import { type OpenApiDocument, resolved, type Schema } from './openApiDocument.ts';

/** Sender of the described data: the caller (`request`), or the service (`response`). */
export type Direction = 'request' | 'response';

/** Both descriptions, to resolve references. */
export interface Releases {
  readonly released: OpenApiDocument;
  readonly present: OpenApiDocument;
}

interface Pair {
  readonly released: Schema;
  readonly present: Schema;
}

/**
 * Finds the changes of a schema that break callers, one sentence each, led by its location.
 *
 * A request must still accept whatever it accepted; a response must still have whatever it had. A
 * response may gain members and values; a value no longer named is breaking in both directions,
 * because it may be renamed.
 *
 * @param where for example `body` or `200`
 */
export function schemaChanges(
  pair: Pair,
  context: { readonly documents: Releases; readonly direction: Direction; readonly where: string },
): readonly string[] {
  const { documents, direction } = context;
  /** Pairs of references being compared, against endless recursion. */
  const inProgress = new Set<string>();

  function compare({ released, present }: Pair, where: string): string[] {
    const key = `${released.$ref ?? ''} ${present.$ref ?? ''}`;
    const isReferred = released.$ref !== undefined && present.$ref !== undefined;
    if (isReferred && inProgress.has(key)) return [];
    if (isReferred) inProgress.add(key);
    const before = alternatives(released, documents.released);
    const now = alternatives(present, documents.present);
    const changes =
      direction === 'request'
        ? before.flatMap((each) => closest(now.map((other) => single(each, other, where))))
        : now.flatMap((each) => closest(before.map((other) => single(other, each, where))));
    inProgress.delete(key);
    return [...new Set(changes)];
  }

  function single(released: Schema, present: Schema, where: string): string[] {
    if (!isTypeKept(typesOf(released), typesOf(present))) {
      return [`${where} was ${named(released)} and is ${named(present)}`];
    }
    return [
      ...valueChanges({ released, present }, direction, where),
      ...textChanges({ released, present }, direction, where),
      ...(direction === 'request' ? boundChanges({ released, present }, where) : []),
      ...members({ released, present }, where),
      ...elements({ released, present }, where),
    ];
  }

  function isTypeKept(released: Types, present: Types): boolean {
    const [wider, narrower] = direction === 'request' ? [present, released] : [released, present];
    if (wider === null) return true;
    return (
      narrower?.every(
        (type) => wider.includes(type) || (type === 'integer' && wider.includes('number')),
      ) ?? false
    );
  }

  function members({ released, present }: Pair, where: string): string[] {
    const now = present.properties ?? {};
    const remaining = Object.entries(released.properties ?? {}).flatMap(([name, schema]) => {
      const other = now[name];
      const at = `${where}.${name}`;
      if (other === undefined) return [`${at} is gone`];
      return compare({ released: schema, present: other }, at);
    });
    return [
      ...remaining,
      ...demands({ released, present }, where),
      ...others({ released, present }, where),
    ];
  }

  /** Members newly required of a request, or newly optional in a response. */
  function demands({ released, present }: Pair, where: string): string[] {
    const [demanded = [], before = []] =
      direction === 'request'
        ? [present.required, released.required]
        : [released.required, present.required];
    return demanded
      .filter((name) => !before.includes(name))
      .filter((name) => direction === 'request' || present.properties?.[name] !== undefined)
      .map(
        (name) => `${where}.${name} ${direction === 'request' ? 'must be sent' : 'may be missing'}`,
      );
  }

  /** Additional properties. */
  function others({ released, present }: Pair, where: string): string[] {
    const [before, now] = [released.additionalProperties, present.additionalProperties];
    if (isSchema(before) && isSchema(now)) {
      const names = {
        released: released.propertyNames ?? {},
        present: present.propertyNames ?? {},
      };
      return [
        ...compare({ released: before, present: now }, `${where}.*`),
        ...compare(names, `the names in ${where}`),
      ];
    }
    if (direction === 'request' && now === false && before !== false) {
      return [`${where} takes no further members`];
    }
    return direction === 'response' && isSchema(before) && now === false
      ? [`${where} has no further members`]
      : [];
  }

  function elements({ released, present }: Pair, where: string): string[] {
    const tuple = (released.prefixItems ?? []).flatMap((schema, index) => {
      const other = present.prefixItems?.[index];
      const at = `${where}[${index}]`;
      return other === undefined
        ? [`${at} is gone`]
        : compare({ released: schema, present: other }, at);
    });
    if (released.items === undefined || present.items === undefined) return tuple;
    return [
      ...tuple,
      ...compare({ released: released.items, present: present.items }, `${where}[]`),
    ];
  }

  return compare(pair, context.where);
}

/** Changes of the alternative with the fewest. */
function closest(changes: readonly string[][]): string[] {
  return changes.reduce((least, each) => (each.length < least.length ? each : least));
}

/** Alternatives of a value, plain values combined into one. */
function alternatives(schema: Schema, document: OpenApiDocument): readonly Schema[] {
  const whole = merged(resolved(schema, document), document);
  const parts = whole.anyOf ?? whole.oneOf;
  if (parts === undefined) return byType(whole);
  const all = parts.flatMap((part) => alternatives(part, document));
  const plain = all.filter((each) => valuesOf(each) !== null);
  if (plain.length < 2) return all;
  const gathered = { enum: plain.flatMap((each) => valuesOf(each) ?? []) };
  return [gathered, ...all.filter((each) => valuesOf(each) === null)];
}

/** Alternatives of a schema of several types, each with its own values. */
function byType(schema: Schema): readonly Schema[] {
  if (typeof schema.type === 'string' || schema.type === undefined) return [schema];
  const values = valuesOf(schema);
  return schema.type.map((type) => ({
    ...(type === 'null' ? {} : schema),
    type,
    ...(values !== null && type !== 'null' && { enum: values.filter((value) => value !== null) }),
  }));
}

/** Merges the members of `allOf`. */
function merged({ allOf, ...own }: Schema, document: OpenApiDocument): Schema {
  if (allOf === undefined) return own;
  const parts = [own, ...allOf.map((part) => merged(resolved(part, document), document))];
  return {
    ...parts.reduce<Schema>((all, part) => ({ ...all, ...part }), {}),
    properties: Object.fromEntries(
      parts.flatMap(({ properties = {} }) => Object.entries(properties)),
    ),
    required: parts.flatMap(({ required = [] }) => required),
  };
}

type Types = readonly string[] | null;

/** Types of a schema; null: any. */
function typesOf(schema: Schema): Types {
  if (schema.type !== undefined) return [schema.type].flat();
  const values = valuesOf(schema);
  return values === null ? null : [...new Set(values.map(typeOfValue))];
}

function typeOfValue(value: unknown): string {
  return value === null ? 'null' : typeof value;
}

function valuesOf(schema: Schema): readonly unknown[] | null {
  return 'const' in schema ? [schema.const] : (schema.enum ?? null);
}

function named(schema: Schema): string {
  return typesOf(schema)?.join(' or ') ?? 'anything';
}

function valueChanges({ released, present }: Pair, direction: Direction, where: string): string[] {
  const [before, now] = [valuesOf(released), valuesOf(present)];
  if (now === null) return [];
  if (before === null) {
    return direction === 'request' ? [`${where} takes only ${now.map(String).join(', ')}`] : [];
  }
  return before
    .filter((value) => !now.includes(value))
    .map((value) => `${where} has no value ${String(value)} any more`);
}

/** Compares patterns as text: any change counts, inclusion is not decided. */
function textChanges({ released, present }: Pair, direction: Direction, where: string): string[] {
  const keywords =
    direction === 'request'
      ? (['pattern', 'format', 'contentEncoding'] as const)
      : (['format', 'contentEncoding'] as const);
  const [from, to] = direction === 'request' ? [released, present] : [present, released];
  return keywords
    .filter((keyword) => to[keyword] !== undefined && to[keyword] !== from[keyword])
    .map((keyword) => `${where} has another ${keyword}`);
}

const lowerBounds = ['minLength', 'minItems', 'minimum', 'exclusiveMinimum', 'minProperties'];
const upperBounds = ['maxLength', 'maxItems', 'maximum', 'exclusiveMaximum', 'maxProperties'];

function boundChanges({ released, present }: Pair, where: string): string[] {
  const bound = (schema: Schema, keyword: string, without: number) =>
    Number(schema[keyword] ?? without);
  return [
    ...lowerBounds.filter(
      (keyword) => bound(present, keyword, -Infinity) > bound(released, keyword, -Infinity),
    ),
    ...upperBounds.filter(
      (keyword) => bound(present, keyword, Infinity) < bound(released, keyword, Infinity),
    ),
  ].map((keyword) => `${where} has a narrower ${keyword}`);
}

function isSchema(value: boolean | Schema | undefined): value is Schema {
  return typeof value === 'object';
}
