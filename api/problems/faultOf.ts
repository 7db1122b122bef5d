import type { z } from 'zod';
import { nearest } from './nearest.ts';

/** Text of a fault, and its rule by the name validators of many languages give it. */
export function faultOf(
  issue: z.core.$ZodIssue,
  value: unknown,
  schema: z.ZodType,
): { readonly detail: string; readonly rule: string } {
  const rule = ruleOf(issue, value);
  const detail = rule === 'required' ? missing(issue, value, shapeOf(schema)) : issue.message;
  return { detail, rule };
}

const shapeOf = (schema: object) => (schema as Partial<z.ZodObject>).shape;

/** Says of a required field that a field of nearly its name was sent, which is unknown where it is not the one meant. */
function missing(
  { path, message }: z.core.$ZodIssue,
  value: unknown,
  shape: object | undefined,
): string {
  // Deeper the fields that are known are not at hand: one of them would be taken for a misspelt one.
  if (path.length !== 1 || shape === undefined) return message;
  const sent = Object.keys(Object(value) as object);
  const near = nearest(
    String(path[0]),
    sent.filter((name) => !(name in shape)),
  );
  return near === null ? message : `${message} ${JSON.stringify(near)} was sent: is it misspelt?`;
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
