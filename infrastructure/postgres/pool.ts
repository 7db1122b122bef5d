import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { sessionAt } from './session.ts';
import { type Dependency, Unavailable } from '../../application/ports/faults.ts';

export interface PoolOptions {
  readonly url: string;
  /** Connections at most; default 10. */
  readonly max?: number;
  readonly applicationName?: string;
  /** Query timeout, ms; the connection is discarded with it; omitted: none. */
  readonly queryTimeoutMs?: number;
  /** Prepares statements once per connection, by their text. For pools with few different ones. Default: false. */
  readonly prepare?: boolean;
}

const connectTimeoutMs = 5000;

/** A connection pool that gives up connecting after 5 s and returns 64-bit integers as bigint. */
export function createPool(options: PoolOptions): pg.Pool {
  const { url, max = 10, applicationName = 'tamga', queryTimeoutMs, prepare = false } = options;
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, BigInt);
  const pool = new pg.Pool({
    ...sessionAt(url),
    max,
    application_name: applicationName,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
    // A new connection costs PostgreSQL as much as hundreds of statements, and pauses of some seconds are ordinary.
    idleTimeoutMillis: 60_000,
    types,
    ...(queryTimeoutMs === undefined ? {} : { query_timeout: queryTimeoutMs }),
  });
  // An idle connection, or one borrowed between two queries, reports its loss by an event, which would end the process
  // without listeners. The next use fails.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    if (prepare) prepareStatements(client);
    if (queryTimeoutMs !== undefined) endWhenSilent(client);
  });
  return pool;
}

/** Names every parameterised statement by the hash of its text, which makes `pg` prepare it. */
function prepareStatements(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
  const names = new Map<string, string>();
  const naming = (text: unknown, values: unknown, ...rest: unknown[]) => {
    if (typeof text !== 'string' || !Array.isArray(values) || values.length === 0) {
      return query(text, values, ...rest);
    }
    let name = names.get(text);
    if (name === undefined) names.set(text, (name = sha256Hex(text).slice(0, 32)));
    return query({ name, text, values }, ...rest);
  };
  client.query = naming as typeof client.query;
}

/**
 * Ends a connection with its first timed-out query: further ones would queue behind it until TCP detects that the
 * server is gone.
 */
function endWhenSilent(client: pg.PoolClient): void {
  const query = client.query.bind(client) as (...parameters: unknown[]) => unknown;
  const watched = (...parameters: unknown[]) => {
    const result = query(...parameters);
    if (result instanceof Promise) {
      result.catch((error: unknown) => {
        if (error instanceof Error && error.message === 'Query read timeout') {
          (client as unknown as pg.Client).end().catch(() => undefined);
        }
      });
    }
    return result;
  };
  client.query = watched as typeof client.query;
}

/** kysely on top of a pool. `destroy()` ends the pool, provided a query was made through it. */
export function createDatabase<Schema>(pool: pg.Pool): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}

/** Runs `work` in one transaction on a connection of its own: commits when it resolves, rolls back when it rejects. */
export async function inTransaction<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failed = true;
  try {
    await client.query('begin');
    const result = await work(client);
    await client.query('commit');
    failed = false;
    return result;
  } finally {
    // After a failure the connection is in an unknown state: it is closed, which rolls back.
    client.release(failed);
  }
}

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
