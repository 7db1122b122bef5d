import { type Dependency, Unavailable } from '../../application/ports/faults.ts';

/**
 * SQLSTATEs of a server that could not, rather than a statement that was wrong: connection lost, transaction rolled back,
 * cancelled by a timeout or an administrator, shutting down, full, lock not granted, internal error.
 */
const OUTAGE = /^(08...|40001|40003|40P01|53...|57...|58...|XX...|25006|25P0[34]|55P03)$/;

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
]);

// node-postgres throws plain errors with these texts of its own.
const CLIENT_TEXTS =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout)/;

/** SQLSTATE of a violated check. */
const CHECK_VIOLATION = '23514';

/**
 * True when PostgreSQL was unavailable, as opposed to having refused the statement; also of a row that was sent to the
 * default partition while another was attached for it, a violation that names no constraint: the next try finds it.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every(isOutage);
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  if (code === CHECK_VIOLATION) return constraint === undefined;
  if (typeof code === 'string') return OUTAGE.test(code) || NETWORK.has(code);
  return CLIENT_TEXTS.test(error.message);
}

/** Runs `work`; an outage of PostgreSQL becomes {@link Unavailable}, every other error passes. */
export async function orUnavailable<Result>(
  dependency: Dependency,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isOutage(error)) throw new Unavailable(dependency, error);
    throw error;
  }
}

/** Wraps queries: they throw {@link Unavailable} during an outage of PostgreSQL. */
export function failingFast<Queries extends object>(queries: Queries): Queries {
  const wrapped = Object.entries(queries).map(([name, query]) => [
    name,
    (...parameters: unknown[]) =>
      orUnavailable('database', () =>
        (query as (...all: unknown[]) => Promise<unknown>)(...parameters),
      ),
  ]);
  return Object.fromEntries(wrapped) as Queries;
}
