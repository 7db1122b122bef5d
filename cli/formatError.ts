import { Refusal } from '../domain/shared/refusal.ts';

/**
 * Formats an error for the terminal: a refusal with all its faults, others with their causes, one
 * per line.
 */
export function formatError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof Refusal)) return [error.message, ...causesOf(error)].join('\n');
  const faults = error.errors.map(({ pointer, detail }) => `  ${pointer}: ${detail}`);
  return [error.message, ...faults].join('\n');
}

/** Messages of the causes, the nearest first. */
function causesOf({ cause }: Error): readonly string[] {
  if (!(cause instanceof Error)) return [];
  // An AggregateError of connection attempts has no message of its own.
  const message =
    cause.message === '' ? String((cause as NodeJS.ErrnoException).code) : cause.message;
  return [`  because: ${message}`, ...causesOf(cause)];
}
