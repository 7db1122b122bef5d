import pg from 'pg';
import { backOff, pause } from '../../application/ports/follow.ts';
import type { LeaderLock } from '../../application/ports/leaderLock.ts';

export interface LeaderLockOptions {
  readonly url: string;
  /**
   * Interval at which standby processes try the lock and the holder checks its connection, milliseconds; default 500.
   */
  readonly pollMs?: number;
  /** Called when an activity failed without being stopped. */
  readonly onError?: (name: string, cause: unknown) => void;
}

/** Silence after which a connection counts as lost, milliseconds. */
const silenceMs = 5000;

/**
 * {@link LeaderLock} by session-level advisory locks, each on a connection of its own: PostgreSQL releases the lock
 * when the connection ends, however it ends. Writes of the activity must be fenced nevertheless: a paused process
 * learns late that it lost the lock.
 */
export function createLeaderLock({
  url,
  pollMs = 500,
  onError = () => undefined,
}: LeaderLockOptions): LeaderLock {
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
    // The lock of a machine that vanished is released after about ten seconds instead of hours.
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
            // PostgreSQL is unavailable; its users report that.
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
