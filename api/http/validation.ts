import type { z } from 'zod';
import { type FieldFault, isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { faultText } from '../problems/faultTexts.ts';
import { nearest } from '../problems/nearest.ts';
import { escapePointer, isStorable, parseJson, parseQuery } from './body.ts';
import type { Exchange, Input, Step } from './exchange.ts';
import type { RawParams, Route } from './route.ts';

/** Step that validates path, query and body, and reports all faults at once. */
export function validate(route: Route): Step {
  return ({ params }, { locals: { exchange } }, next) => {
    exchange.input = validated(route, exchange, params);
    next();
  };
}

/** @throws Refusal INVALID_REQUEST, UNSUPPORTED_MEDIA_TYPE */
function validated(route: Route, { headers, rawBody, target }: Exchange, given: RawParams): Input {
  const faults: FieldFault[] = [];
  const params = checked(route.params, storable(given, faults), '#/path', faults);
  const query = checked(
    route.query,
    attempt(() => parseQuery(queryOf(target)), faults),
    '#/query',
    faults,
  );
  const body =
    route.body === null
      ? null
      : checked(
          route.body,
          attempt(() => parseJson(headers, rawBody), faults),
          '',
          faults,
        );
  if (faults.length > 0) throw new Refusal('INVALID_REQUEST', { errors: faults });
  return { params, query, body };
}

/** Query of a request target, still encoded. */
function queryOf(target: string): string {
  const mark = target.indexOf('?');
  return mark < 0 ? '' : target.slice(mark + 1);
}

const unreadable = Symbol('unreadable');

function attempt<T>(read: () => T, faults: FieldFault[]): T | typeof unreadable {
  try {
    return read();
  } catch (error) {
    if (!isRefusal(error, 'INVALID_REQUEST')) throw error;
    faults.push(...error.errors);
    return unreadable;
  }
}

function storable(params: RawParams, faults: FieldFault[]): RawParams | typeof unreadable {
  for (const name in params) {
    const value = params[name];
    if (typeof value === 'string' && !isStorable(value)) {
      faults.push({ pointer: `#/path/${name}`, detail: 'Must not contain U+0000.' });
    }
  }
  return faults.length > 0 ? unreadable : params;
}

function checked(schema: z.ZodType, value: unknown, prefix: string, faults: FieldFault[]): unknown {
  if (value === unreadable) return undefined;
  const result = schema.safeParse(value, { error: faultText });
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    const path = issue.path.map((step) => `/${escapePointer(String(step))}`).join('');
    const rule = ruleOf(issue, value);
    const detail = rule === 'required' ? missing(issue, value, shapeOf(schema)) : issue.message;
    faults.push({ pointer: prefix + path, detail, rule });
  }
  return undefined;
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
