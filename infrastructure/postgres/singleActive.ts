import pg from 'pg';
import { backOff, pause } from '../../application/ports/follow.ts';
import type { SingleActive } from '../../application/ports/singleActive.ts';

export interface SingleActiveOptions {
  readonly url: string;
  /** How often a process standing by tries, and the holder checks its connection, milliseconds; default 500. */
  readonly pollMs?: number;
  /** An activity ended with an error although nobody stopped it. */
  readonly onError?: (name: string, cause: unknown) => void;
}

/** A connection that does not answer for this long is lost, milliseconds. */
const silenceMs = 5000;

/**
 * {@link SingleActive} by session-level advisory locks, each on a connection of its own: PostgreSQL frees the lock when
 * the connection ends, however it ends. What the activity writes must be fenced all the same: a process that was paused
 * learns late that it lost the lock.
 */
export function createSingleActive({
  url,
  pollMs = 500,
  onError = () => undefined,
}: SingleActiveOptions): SingleActive {
  async function connect(): Promise<{ client: pg.Client; lost: AbortController }> {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'tamga-lock',
      connectionTimeoutMillis: silenceMs,
      query_timeout: silenceMs,
      keepAlive: true,
    });
    const lost = new AbortController();
    client.on('error', () => lost.abort());
    client.on('end', () => lost.abort());
    await client.connect();
    // A holder whose machine vanished gives the lock back after about ten seconds instead of hours.
    await client.query(
      'set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3',
    );
    return { client, lost };
  }

  async function tryLock(client: pg.Client, name: string): Promise<boolean> {
    const { rows } = await client.query<{ locked: boolean }>(
      'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
      [name],
    );
    return rows[0]?.locked === true;
  }

  /** Resolves when the connection no longer answers. */
  async function watch(client: pg.Client, lost: AbortController, signal: AbortSignal) {
    while (!signal.aborted) {
      await pause(pollMs, signal);
      await client.query('select 1').catch(() => lost.abort());
    }
  }

  return {
    runWhileHolding(name, activity) {
      const stopped = new AbortController();
      let active = false;

      async function hold(client: pg.Client, lost: AbortController) {
        const ending = new AbortController();
        const signal = AbortSignal.any([stopped.signal, lost.signal, ending.signal]);
        const watching = watch(client, lost, signal);
        active = true;
        try {
          await activity(signal);
        } catch (error) {
          onError(name, error);
        } finally {
          active = false;
          ending.abort();
          await watching;
        }
      }

      async function attempt() {
        const { client, lost } = await connect();
        try {
          const gone = AbortSignal.any([stopped.signal, lost.signal]);
          while (!gone.aborted) {
            if (await tryLock(client, name)) {
              await hold(client, lost);
              return;
            }
            await pause(pollMs * (0.5 + Math.random() / 2), gone);
          }
        } finally {
          await client.end().catch(() => undefined);
        }
      }

      async function run() {
        for (let tries = 1; !stopped.signal.aborted; tries += 1) {
          try {
            await attempt();
            tries = 0;
          } catch {
            // PostgreSQL is away; whoever depends on it says so where it matters.
          }
          await pause(backOff(Math.max(1, tries)), stopped.signal);
        }
      }

      const running = run();
      return {
        isActive: () => active,
        async stop() {
          stopped.abort();
          await running;
        },
      };
    },
  };
}
