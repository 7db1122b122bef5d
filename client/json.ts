import { NetworkError } from './errors.ts';

/** An object of a response, its fields unvalidated. */
export type Json = Readonly<Record<string, unknown>>;

// Readers of untrusted fields: one of another type counts as absent.

export function textIn(json: Json | null, field: string): string | null {
  const value = json?.[field];
  return typeof value === 'string' ? value : null;
}

export function numberIn(json: Json | null, field: string): number | null {
  const value = json?.[field];
  return typeof value === 'number' ? value : null;
}

export function objectIn(json: Json | null, field: string): Json | null {
  const value = json?.[field];
  return isObject(value) ? value : null;
}

/** Objects of an array; other elements are dropped. */
export function objectsIn(json: Json | null, field: string): readonly Json[] {
  const value = json?.[field];
  return Array.isArray(value) ? value.filter(isObject) : [];
}

/** Texts of an array; other elements are dropped. */
export function textsIn(json: Json | null, field: string): readonly string[] {
  const value = json?.[field];
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

export function isTrueIn(json: Json | null, field: string): boolean {
  return json?.[field] === true;
}

/** @throws NetworkError when the text is absent or empty */
export function required(json: Json | null, field: string): string {
  const value = textIn(json, field);
  if (value === null || value === '') throw missing(field);
  return value;
}

/** @throws NetworkError when the number is absent */
export function requiredNumber(json: Json | null, field: string): number {
  const value = numberIn(json, field);
  if (value === null) throw missing(field);
  return value;
}

/** @throws NetworkError when the text is absent or none of `values` */
export function oneOf<Value extends string>(
  json: Json | null,
  field: string,
  values: readonly Value[],
): Value {
  const found = values.find((value) => value === json?.[field]);
  if (found === undefined) throw missing(field);
  return found;
}

/** Error for a response without a required field. */
export function missing(field: string): NetworkError {
  return new NetworkError(`The answer has no usable field ${field}.`);
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
