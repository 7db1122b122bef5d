import type { z } from 'zod';
import { knownFields } from './knownFields.ts';
import { nearest } from './nearest.ts';

/**
 * Text of a fault, and its rule by the name validators of many languages give it. Of an absent field it is said that it
 * is required, in the place of what its schema says of other values.
 */
export function faultOf(
  issue: z.core.$ZodIssue,
  value: unknown,
  schema: z.ZodType,
): { readonly detail: string; readonly rule: string } {
  const rule = ruleOf(issue, value);
  const isAbsent = issue.code !== 'custom' && at(value, issue.path) === undefined;
  return { detail: isAbsent ? absent(issue, value, schema) : issue.message, rule };
}

/** Names the field of nearly this name that was sent, unless that is another one that is known. */
function absent({ path }: z.core.$ZodIssue, value: unknown, schema: z.ZodType): string {
  const around = path.slice(0, -1);
  const known = knownFields(schema, around);
  const sent = Object.keys(Object(at(value, around)) as object);
  const near = nearest(
    String(path.at(-1)),
    sent.filter((name) => !known.has(name)),
  );
  return near === null
    ? 'Is required.'
    : `Is required. ${JSON.stringify(near)} was sent: is it misspelt?`;
}

/** Rule names used by validators of many languages. */
const rules: Readonly<Record<string, string>> = {
  too_big: 'max',
  too_small: 'min',
  invalid_value: 'oneof',
  invalid_union: 'oneof',
  invalid_type: 'type',
  unrecognized_keys: 'unknown',
};

function ruleOf(issue: z.core.$ZodIssue, value: unknown): string {
  if (issue.code === 'invalid_type' && at(value, issue.path) === undefined) return 'required';
  if (issue.code === 'invalid_format') return issue.format;
  if (issue.code !== 'custom') return rules[issue.code] ?? 'invalid';
  const rule = (issue.params as { readonly rule?: unknown } | undefined)?.rule;
  return typeof rule === 'string' ? rule : 'invalid';
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, step) =>
      typeof inner === 'object' && inner !== null
        ? (inner as Record<PropertyKey, unknown>)[step]
        : undefined,
    value,
  );
}
