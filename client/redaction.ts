import { inspect } from 'node:util';

/** Placeholder of a redacted secret. */
const REDACTED = '[secret]';

/** Redacts `secret` in `text`. */
export function redactText(text: string, secret: string): string {
  return text.replaceAll(secret, REDACTED);
}

/** Fields of responses that are secrets of a session. */
const secretFields: readonly string[] = ['sessionSecret', 'sessionToken'];

/** Redacts secret fields of JSON at any depth. */
export function redactFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactFields);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      secretFields.includes(name) ? REDACTED : redactFields(member),
    ]),
  );
}

/**
 * Copies an error of the transport without secrets: name, redacted message, code, and the same of
 * its cause. The original can hold the whole request, the Bearer secret with it.
 */
export function redactedCause(error: unknown, secret: string, depth = 3): Error {
  if (!(error instanceof Error)) return new Error('Something that is no Error was thrown.');
  const cause =
    error.cause === undefined || depth === 0
      ? undefined
      : { cause: redactedCause(error.cause, secret, depth - 1) };
  const redacted = new Error(redactText(error.message, secret), cause);
  redacted.name = error.name;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? Object.assign(redacted, { code }) : redacted;
}

/** Hides secret fields when `value` is printed; they stay readable and in its JSON. */
export function hideWhenPrinted<Value extends object>(
  value: Value,
  secretFields: readonly (keyof Value)[],
): Value {
  const shown = () => ({
    ...value,
    ...Object.fromEntries(secretFields.map((field) => [field, REDACTED])),
  });
  // Not enumerable: comparing and copying the value ignores it.
  return Object.defineProperty(value, inspect.custom, { value: shown });
}
