import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';

export interface PoolOptions {
  readonly url: string;
  /** Connections at most; default 10. */
  readonly max?: number;
  readonly applicationName?: string;
}

/** A connection pool that gives up connecting after 5 s and returns 64-bit integers as bigint. */
export function createPool({ url, max = 10, applicationName = 'tamga' }: PoolOptions): pg.Pool {
  const types = new pg.TypeOverrides();
  types.setTypeParser(pg.types.builtins.INT8, BigInt);
  const pool = new pg.Pool({
    connectionString: url,
    max,
    application_name: applicationName,
    connectionTimeoutMillis: 5000,
    types,
  });
  // A connection that breaks while idle, or lent but between two queries, says so by an event: without listeners it
  // would end the process. The next use finds out.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** kysely on top of a pool. `destroy()` ends the pool. */
export function createDatabase<Schema>(pool: pg.Pool): Kysely<Schema> {
  return new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) });
}
