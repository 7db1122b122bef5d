import { inspect } from 'node:util';

/** Stands where a secret was. */
const REDACTED = '[secret]';

/** `text` without `secret`. */
export function withoutSecret(text: string, secret: string): string {
  return text.replaceAll(secret, REDACTED);
}

/** Fields of the service's answers that are secrets of a session. */
const secretFields: readonly string[] = ['sessionSecret', 'sessionToken'];

/** JSON, its secret fields replaced at any depth. */
export function withoutSecretFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecretFields);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secretFields.includes(name) ? REDACTED : withoutSecretFields(member),
    ]),
  );
}

/**
 * What may be told of an error of the transport: name, message without the secret, code, and the same of its cause. A
 * transport's own error can hold the whole request, the Bearer secret with it.
 */
export function tellableCause(error: unknown, secret: string, depth = 3): Error {
  if (!(error instanceof Error)) return new Error('Something that is no Error was thrown.');
  const cause =
    error.cause === undefined || depth === 0
      ? undefined
      : { cause: tellableCause(error.cause, secret, depth - 1) };
  const told = new Error(withoutSecret(error.message, secret), cause);
  told.name = error.name;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? Object.assign(told, { code }) : told;
}

/** `value`, whose secret fields printing hides; they stay readable, and in its JSON. */
export function printedWithout<Value extends object>(
  value: Value,
  secretFields: readonly (keyof Value)[],
): Value {
  const shown = () => ({
    ...value,
    ...Object.fromEntries(secretFields.map((field) => [field, REDACTED])),
  });
  // Not enumerable: the value is data, and compares and copies as such.
  return Object.defineProperty(value, inspect.custom, { value: shown });
}
