import type { z } from 'zod';
import { beyondBound } from '../../domain/shared/bounds.ts';

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
      return `Unknown: ${issue.keys.join(', ')}.`;
    default:
      return undefined;
  }
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
