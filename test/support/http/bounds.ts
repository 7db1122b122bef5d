import { z } from 'zod';
import { textBounds } from '../../../api/schemas/text.ts';
import { faultText } from '../../../api/problems/faultTexts.ts';

type JsonSchema = Readonly<Record<string, unknown>>;

/** A bound of one member of a request, and a request around any value of it. */
interface Bound {
  /** JSON pointer. */
  readonly pointer: string;
  readonly keyword: keyof typeof keywords;
  readonly limit: number;
  /** Characters by which a text may be longer: base64 comes in groups of four. */
  readonly group: number;
  around(value: unknown): unknown;
}

/** Values beside a bound, `step` of them beyond it. */
const keywords = {
  maxLength: (limit: number, step: number) => 'a'.repeat(limit + step),
  minLength: (limit: number, step: number) => 'a'.repeat(Math.max(0, limit - step)),
  maxItems: (limit: number, step: number) => Array.from({ length: limit + step }, () => 'a'),
  minItems: (limit: number, step: number) =>
    Array.from({ length: Math.max(0, limit - step) }, () => 'a'),
  maximum: (limit: number, step: number) => limit + step,
  minimum: (limit: number, step: number) => limit - step,
} as const;

/** Bounds of the value itself. */
function* ownBounds(schema: JsonSchema): Generator<Pick<Bound, 'keyword' | 'limit' | 'group'>> {
  for (const keyword of Object.keys(keywords) as (keyof typeof keywords)[]) {
    const limit = schema[keyword];
    // JSON Schema states the bounds of whole numbers that a double holds: no bound of ours.
    if (typeof limit !== 'number' || Math.abs(limit) > 2 ** 31) continue;
    if (keyword === 'minLength' && 'format' in schema) continue;
    const group = schema['contentEncoding'] === 'base64' ? 4 : 1;
    yield { keyword, limit, group };
  }
}

/** Bounds that a schema's own JSON Schema states, at any depth. */
function* boundsOf(whole: z.ZodType): Generator<Bound> {
  for (const { schema, ...place } of placesOf(wholeOf(whole))) {
    for (const bound of ownBounds(schema)) yield { ...place, ...bound };
  }
}

/** A schema within another, and a request around any value of it. */
interface Place {
  /** JSON pointer. */
  readonly pointer: string;
  readonly schema: JsonSchema;
  around(value: unknown): unknown;
}

/** Places of a request by its JSON Schema, at any depth. */
export function* placesOf(place: Place): Generator<Place> {
  const { pointer, schema } = place;
  for (const option of [schema['anyOf'], schema['oneOf'], schema['allOf']]) {
    for (const each of Array.isArray(option) ? (option as JsonSchema[]) : []) {
      yield* placesOf({ ...place, schema: each });
    }
  }
  yield place;
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, JsonSchema>>;
  const constants = Object.fromEntries(
    Object.entries(properties).flatMap(([key, each]) =>
      'const' in each ? [[key, each['const']]] : [],
    ),
  );
  // The body of a nested session is told by its interactions (contract §1).
  const nested = { interactions: 'W10=' };
  for (const [key, each] of Object.entries(properties)) {
    const around = (value: unknown) =>
      place.around({ ...constants, ...(key === 'nonce' ? nested : {}), [key]: value });
    yield* placesOf({ pointer: `${pointer}/${key}`, schema: each, around });
  }
  if (schema['type'] === 'array' && typeof schema['items'] === 'object') {
    const around = (value: unknown) => place.around([value]);
    yield* placesOf({
      pointer: `${pointer}/0`,
      schema: schema['items'] as JsonSchema,
      around,
    });
  }
}

/** The request itself. */
export function wholeOf(schema: z.ZodType): Place {
  const json = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    reused: 'inline',
    metadata: textBounds as unknown as typeof z.globalRegistry,
  });
  return { pointer: '', schema: json, around: (value) => value };
}

/**
 * Tries each bound of a schema one below, at and one beyond it.
 *
 * @param isText values arrive as text, as those of a query do
 * @returns sentences on bounds that do not tell themselves, and the number tried
 */
export function untoldBounds(
  schema: z.ZodType,
  isText: boolean,
): { readonly tried: number; readonly untold: readonly string[] } {
  const untold: string[] = [];
  let tried = 0;
  for (const bound of boundsOf(schema)) {
    const { pointer, keyword, limit, group, around } = bound;
    const faultsBeyond = (step: number) => {
      const value = keywords[keyword](limit, step);
      const result = schema.safeParse(
        around(isText && typeof value === 'number' ? String(value) : value),
        {
          error: faultText,
        },
      );
      return (result.error?.issues ?? [])
        .filter(({ path }) => path.map((each) => `/${String(each)}`).join('') === pointer)
        .map(({ message }) => message);
    };
    tried += 1;
    const isBound = (message: string) => /^At (most|least) |^Must not be empty/.test(message);
    for (const step of [-group, 0]) {
      const refused = faultsBeyond(step).filter(isBound);
      // A bound in the other direction may be near.
      if (refused.some((message) => message.includes(String(limit)))) {
        untold.push(`${pointer} ${keyword} ${limit} refuses ${limit + step}: ${refused.join(' ')}`);
      }
    }
    const beyond = keyword.startsWith('max') ? limit + group : limit - group;
    if (beyond < 0 && keyword !== 'minimum') continue;
    const told = faultsBeyond(group).some(
      (message) =>
        ((message.includes(String(limit)) || (limit === 1 && message.includes('one '))) &&
          message.includes(String(beyond))) ||
        (beyond === 0 && ['Must not be empty.', 'Is required.'].includes(message)),
    );
    if (!told) {
      untold.push(
        `${pointer} ${keyword} ${limit} says: ${faultsBeyond(group).join(' ') || 'nothing'}`,
      );
    }
  }
  return { tried, untold };
}
