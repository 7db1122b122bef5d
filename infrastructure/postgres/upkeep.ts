import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { sessionAt } from './session.ts';

export interface UpkeepOptions {
  /** Connection URL of a database that `migrate` has brought up to date. */
  readonly url: string;
  /** Called after a failure; completed steps are kept, the rest is retried. */
  readonly onError: (cause: unknown) => void;
  /** Pause between two looks, ms; default a minute. */
  readonly everyMs?: number;
}

export interface Upkeep {
  start(): void;
  /** Ends the work at once; the next start resumes it. */
  stop(): Promise<void>;
}

/** Pause after a failure, most often a lock that was not to be had without keeping others waiting. */
const RETRY_MS = 5000;
/** Longest that a step keeps readers and writers waiting, ms; an append gives up after 5,000, autovacuum yields at 1,000. */
const LOCK_TIMEOUT_MS = 2000;

/**
 * Looks after something in the database all the time, one process at a time.
 *
 * @param name of its lock
 */
export function createUpkeep(
  name: string,
  keepUp: (client: pg.Client) => Promise<void>,
  { url, onError, everyMs = 60_000 }: UpkeepOptions,
): Upkeep {
  const stopping = new AbortController();
  const isStopping = () => stopping.signal.aborted;
  let working: Promise<void> = Promise.resolve();

  async function work(): Promise<void> {
    while (!isStopping()) {
      let wait = everyMs;
      try {
        await withClient();
      } catch (error) {
        if (isStopping()) return;
        onError(error);
        wait = Math.min(RETRY_MS, everyMs);
      }
      await pause(wait, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined);
    }
  }

  async function withClient(): Promise<void> {
    const client = new pg.Client({
      // A statement ends with its process.
      ...sessionAt(url, {
        lock_timeout: LOCK_TIMEOUT_MS,
        client_connection_check_interval: 1000,
      }),
      application_name: 'tamga maintenance',
      connectionTimeoutMillis: 5000,
    });
    client.on('error', () => undefined);
    const end = () => void client.end().catch(() => undefined);
    stopping.signal.addEventListener('abort', end);
    try {
      await client.connect();
      const lock = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as is_mine';
      if ((await one<{ is_mine: boolean }>(client, lock, [name])).is_mine) {
        await keepUp(client);
      }
    } finally {
      stopping.signal.removeEventListener('abort', end);
      await client.end().catch(() => undefined);
    }
  }

  return {
    start() {
      working = work();
    },
    async stop() {
      stopping.abort();
      await working;
    },
  };
}

/** Asks whether a transaction, such as a backup, keeps a table for long: a lock queued behind it stops all readers. */
export async function isKeptForLong(client: pg.Client, table: string): Promise<boolean> {
  const kept = 'select is_kept_for_long($1) as kept';
  return (await one<{ kept: boolean }>(client, kept, [table])).kept;
}

/** The first row of a query that returns one. */
export async function one<Row extends pg.QueryResultRow>(
  client: pg.Client,
  text: string,
  values: unknown[] = [],
): Promise<Row> {
  const { rows } = await client.query<Row>(text, values);
  const [row] = rows;
  if (row === undefined) throw new Error('The query returned no row.');
  return row;
}
