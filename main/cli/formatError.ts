import { Misconfigured } from '../../application/ports/faults.ts';
import { problems } from '../../api/problems/problems.ts';
import { Refusal } from '../../domain/shared/refusal.ts';

/**
 * Formats an error for the terminal: a refusal with its sentence and all its faults, others with their causes, one per
 * line.
 */
export function formatError(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (!(error instanceof Refusal)) return [messageOf(error), ...causesOf(error)].join('\n');
  const faults = error.errors.map(({ pointer, detail }) => `  ${pointer}: ${detail}`);
  const { code, detail = problems[code].text } = error;
  return [`${code}: ${detail}`, ...faults].join('\n');
}

/** Sentences for the faults of a path that somebody named. */
const pathFaults: Readonly<Record<string, (path: string) => string>> = {
  ENOENT: (path) => `There is no file or directory ${path} (ENOENT).`,
  EACCES: (path) => `${path} may not be opened by this user (EACCES).`,
  EISDIR: (path) => `${path} is a directory; name a file (EISDIR).`,
};

function messageOf(error: Error): string {
  const { code = '', path, syscall } = error as NodeJS.ErrnoException;
  if (isForeignSchema(error)) {
    return (
      `The database has another schema than this release: ${error.message}.\n` +
      'Start the release that migrated it, or name an empty database (SVC_DATABASE_URL).'
    );
  }
  const told = syscall === 'spawn' ? undefined : pathFaults[code];
  return told === undefined || path === undefined ? error.message : told(path);
}

/** SQLSTATEs `undefined_table` and `undefined_column`. */
const FOREIGN_SCHEMA: readonly unknown[] = ['42P01', '42703'];

/** True where PostgreSQL misses a table or a column: another build migrated the database. */
export function isForeignSchema(error: unknown): boolean {
  return error instanceof Error && FOREIGN_SCHEMA.includes((error as NodeJS.ErrnoException).code);
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
    cause.message === '' ? String((cause as NodeJS.ErrnoException).code) : messageOf(cause);
  return [`  because: ${message}`, ...causesOf(cause)];
}
