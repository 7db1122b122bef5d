import { type Dependency, Unavailable } from '../../application/ports/faults.ts';

/** SQLSTATEs of a server that cannot serve now: connection lost, transaction rolled back, shutting down, full, lock not granted. */
const AWAY = /^(08...|40001|40P01|53...|57P0[1-5]|58...|25006|55P03)$/;

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

// node-postgres throws plain errors for these; the texts are its own.
const CLIENT_TEXTS =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Query read timeout)/;

/** Whether PostgreSQL was not there to answer, as opposed to having refused what was asked. */
export function isAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.length > 0) return error.errors.every(isAway);
  const { code } = error as { code?: unknown };
  if (typeof code === 'string') return AWAY.test(code) || NETWORK.has(code);
  return CLIENT_TEXTS.test(error.message);
}

/** Runs `work`; a PostgreSQL that is away becomes {@link Unavailable}, every other error stays what it is. */
export async function orUnavailable<Result>(
  dependency: Dependency,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (isAway(error)) throw new Unavailable(dependency, error);
    throw error;
  }
}

/** The same queries, throwing {@link Unavailable} while PostgreSQL is away. */
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
