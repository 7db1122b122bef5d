import { Misconfigured } from '../../application/ports/faults.ts';
import { Refusal } from '../../domain/shared/refusal.ts';

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

/** SQLSTATEs of a refused user or password. */
const REFUSED_CREDENTIALS = /^28/u;

/**
 * Exit code of a command or service that failed: 78 (`EX_CONFIG` of sysexits.h) for what only a change of the
 * configuration mends, so that a supervisor does not repeat it; otherwise 1.
 */
export function exitCodeOf(error: unknown): 1 | 78 {
  if (!(error instanceof Error)) return 1;
  const { code } = error as NodeJS.ErrnoException;
  const isRefused = typeof code === 'string' && REFUSED_CREDENTIALS.test(code);
  return error instanceof Misconfigured || isRefused ? 78 : exitCodeOf(error.cause);
}

/** Messages of the causes, the nearest first. */
function causesOf({ cause }: Error): readonly string[] {
  if (!(cause instanceof Error)) return [];
  // An AggregateError of connection attempts has no message of its own.
  const message =
    cause.message === '' ? String((cause as NodeJS.ErrnoException).code) : cause.message;
  return [`  because: ${message}`, ...causesOf(cause)];
}
