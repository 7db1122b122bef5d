import type { z } from 'zod';
import { beyondBound } from '../../domain/shared/bounds.ts';
import { nearest } from './nearest.ts';

/**
 * Text of a fault that the schema has no words of its own for; no text of the schema library is shown.
 *
 * @returns undefined to leave it to the library
 */
export function faultText(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'Is required.'
        : `Must be ${typeNames[issue.expected] ?? 'of another type'}.`;
    case 'too_big':
      return bounded({ atMost: Number(issue.maximum) }, issue);
    case 'too_small':
      return bounded({ atLeast: Number(issue.minimum) }, issue);
    case 'invalid_value':
      return `Must be ${listed(issue.values.map((value) => JSON.stringify(value)))}.`;
    case 'unrecognized_keys':
      return unknownFields(issue);
    case 'invalid_union':
      return unionText(issue);
    case 'invalid_format':
      return formatText(issue);
    default:
      return undefined;
  }
}

/** Unknown fields that are named: comparing thousands with the known ones would hold everybody up. */
const MOST_NAMED = 10;

/** Names unknown fields, and the nearest known one of each. */
function unknownFields({ keys, inst }: z.core.$ZodRawIssue & { readonly keys: string[] }): string {
  const known = Object.keys((inst as Partial<z.ZodObject> | undefined)?.shape ?? {});
  const named = keys.slice(0, MOST_NAMED).map((key) => {
    const near = nearest(key, known);
    return near === null ? key : `${key} (is ${near} meant?)`;
  });
  const more = keys.length - named.length;
  return `Unknown: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}.`;
}

/** Lists the values of the field that tells the forms apart, where one does. */
function unionText(issue: z.core.$ZodRawIssue): string {
  const { options } = issue as { readonly options?: readonly unknown[] };
  return options === undefined || options.length === 0
    ? 'Has none of the accepted forms.'
    : `Must be ${listed(options.map((value) => JSON.stringify(value)))}.`;
}

const formatNames: Readonly<Record<string, string>> = {
  uuid: 'a UUID',
  guid: 'a UUID',
  email: 'an e-mail address',
  url: 'an address with its scheme',
  datetime: 'a time of RFC 3339 in UTC, such as 2026-01-31T08:15:30Z',
  date: 'a date, such as 2026-01-31',
  base64: 'standard base64 with padding',
  base64url: 'base64url without padding',
};

function formatText(issue: z.core.$ZodRawIssue): string {
  const { format, pattern } = issue as { readonly format: string; readonly pattern?: string };
  const name = formatNames[format];
  if (name !== undefined) return `Must be ${name}.`;
  return pattern === undefined ? 'Has another form than required.' : `Must match ${pattern}.`;
}

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
  date: 'a date',
  record: 'an object',
};

const units: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'items',
  set: 'items',
};

function bounded(
  bound: { readonly atMost: number } | { readonly atLeast: number },
  { origin, input }: { readonly origin: string; readonly input?: unknown },
): string {
  const size = sizeOf(input);
  if (size === 0 && 'atLeast' in bound && bound.atLeast === 1) return 'Must not be empty.';
  return beyondBound(bound, size ?? Number(input), units[origin]);
}

function sizeOf(input: unknown): number | null {
  return typeof input === 'string' || Array.isArray(input) ? input.length : null;
}

function listed(values: readonly string[]): string {
  return values.length === 1 ? String(values[0]) : `one of ${values.join(', ')}`;
}
