import pg from 'pg';
import { backOff, pause } from '../../application/ports/follow.ts';
import type { LeaderRun, SpreadingLock } from '../../application/ports/leaderLock.ts';
import { endHungHolders, ownLockConnection } from './lockHolders.ts';
import { createLockShares, type LockShares } from './lockShares.ts';
import { sessionAt } from './session.ts';

export interface LeaderLockOptions {
  readonly url: string;
  /**
   * Interval at which standby processes try the lock and the holder checks its connection, milliseconds; default 500.
   */
  readonly pollMs?: number;
  /** False: this process gives all locks up, and takes none. Default: always true. */
  readonly isFit?: () => boolean;
  /** Called when an activity failed without being stopped. */
  readonly onError?: (name: string, cause: unknown) => void;
  /** Called when this process became the active one. */
  readonly onActive?: (name: string) => void;
  /** Called when this process ended the connection of a hung one. */
  readonly onHung?: (process: string) => void;
}

/** Interval at which each process looks for hung ones, milliseconds. */
const lookMs = 1000;

/** Silence after which a connection counts as lost, milliseconds. */
const silenceMs = 5000;

interface LockConnection {
  /** Queries one after another. */
  query(text: string, values?: readonly unknown[]): Promise<pg.QueryResult>;
  end(): Promise<void>;
  /** Aborts when the connection no longer answers: its locks are lost then. */
  readonly lost: AbortController;
}

/**
 * {@link LeaderLock} by session-level advisory locks, all of them on one connection, which is open while an activity
 * runs or stands by: PostgreSQL releases the locks when the connection ends, however it ends. The check of the
 * connection is also a heartbeat: without it, another process ends the connection. Writes of the activity must be fenced
 * nevertheless: a paused process learns late that it lost the lock.
 */
export function createLeaderLock({
  url,
  pollMs = 500,
  isFit = () => true,
  onError = () => undefined,
  onActive = () => undefined,
  onHung = () => undefined,
}: LeaderLockOptions): SpreadingLock {
  /** Groups of activities that are spread, by name. */
  const groups = new Map<string, LockShares>();
  /** Activities that run or stand by. */
  let users = 0;
  let connecting: Promise<LockConnection> | undefined;
  /** Names locked by this process: the server grants a session the lock it has once more. */
  const taken = new Set<string>();

  async function connect(): Promise<LockConnection> {
    const client = new pg.Client({
      ...sessionAt(url),
      application_name: ownLockConnection,
      connectionTimeoutMillis: silenceMs,
      query_timeout: silenceMs,
      keepAlive: true,
    });
    const lost = new AbortController();
    client.on('error', () => lost.abort());
    client.on('end', () => lost.abort());
    lost.signal.addEventListener('abort', () => {
      connecting = undefined;
      client.end().catch(() => undefined);
    });
    try {
      await client.connect();
      // The locks of a machine that vanished are released after about ten seconds instead of hours.
      await client.query(
        'set tcp_keepalives_idle = 4; set tcp_keepalives_interval = 2; set tcp_keepalives_count = 3',
      );
    } catch (error) {
      lost.abort();
      throw error;
    }
    let last: Promise<unknown> = Promise.resolve();
    const connection: LockConnection = {
      lost,
      query: (text, values = []) => {
        const answer = last.then(() => client.query(text, [...values]));
        last = answer.catch(() => lost.abort());
        return answer;
      },
      end: () => client.end(),
    };
    void watch(connection);
    return connection;
  }

  /** Checks the connection until it no longer answers, and those of the other processes. */
  async function watch(connection: LockConnection) {
    const { lost } = connection;
    let looked = performance.now();
    while (!lost.signal.aborted) {
      await pause(pollMs, lost.signal);
      if (!isFit()) {
        lost.abort();
        return;
      }
      await connection.query('select 1').catch(() => undefined);
      for (const shares of groups.values()) await shares.look(connection).catch(() => undefined);
      if (performance.now() - looked < lookMs) continue;
      looked = performance.now();
      const hung = await endHungHolders(connection).catch(() => []);
      for (const process of hung) onHung(process);
    }
  }

  async function release() {
    users -= 1;
    if (users > 0) return;
    const opened = await connecting?.catch(() => undefined);
    if (users > 0) return;
    opened?.lost.abort();
    await opened?.end();
  }

  async function tryLock({ query }: LockConnection, name: string): Promise<boolean> {
    if (taken.has(name)) return false;
    taken.add(name);
    const locked = await query('select 1 where pg_try_advisory_lock(hashtextextended($1, 0))', [
      name,
    ]).then(
      ({ rowCount }) => rowCount === 1,
      () => false,
    );
    if (!locked) taken.delete(name);
    return locked;
  }

  async function unlock({ query, lost }: LockConnection, name: string) {
    if (!lost.signal.aborted) {
      await query('select pg_advisory_unlock(hashtextextended($1, 0))', [name]).catch(
        () => undefined,
      );
    }
    taken.delete(name);
  }

  function runWhileHolding(
    name: string,
    activity: (signal: AbortSignal) => Promise<void>,
    shares: LockShares | null,
  ): LeaderRun {
    const stopped = new AbortController();
    let active = false;
    shares?.add(name);

    async function hold({ lost }: LockConnection, given: AbortSignal | undefined) {
      active = true;
      onActive(name);
      const ends = [stopped.signal, lost.signal, ...(given === undefined ? [] : [given])];
      try {
        await activity(AbortSignal.any(ends));
      } catch (error) {
        onError(name, error);
      } finally {
        active = false;
      }
    }

    /** @returns whether it was held */
    async function holdIfFree(connection: LockConnection): Promise<boolean> {
      const given = await shares?.reserve(name, connection);
      if (given === null) return false;
      try {
        if (!(await tryLock(connection, name))) return false;
        await hold(connection, given);
        await unlock(connection, name);
        return true;
      } finally {
        shares?.release(name);
      }
    }

    async function attempt() {
      while (!isFit() && !stopped.signal.aborted) await pause(pollMs, stopped.signal);
      if (stopped.signal.aborted) return;
      const connection = await (connecting ??= connect());
      const gone = AbortSignal.any([stopped.signal, connection.lost.signal]);
      while (!gone.aborted) {
        if (await holdIfFree(connection)) return;
        await pause(pollMs * (0.5 + Math.random() / 2), gone);
      }
    }

    async function run() {
      users += 1;
      for (let tries = 1; !stopped.signal.aborted; tries += 1) {
        try {
          await attempt();
          tries = 0;
        } catch {
          // PostgreSQL is unavailable; its users report that.
        }
        await pause(backOff(Math.max(1, tries)), stopped.signal);
      }
      await shares
        ?.remove(name, (await connecting?.catch(() => null)) ?? null)
        .catch(() => undefined);
      await release();
    }

    const running = run();
    return {
      isActive: () => active,
      async stop() {
        stopped.abort();
        await running;
      },
    };
  }

  return {
    runWhileHolding: (name, activity) => runWhileHolding(name, activity, null),
    spread(group) {
      const shares = groups.get(group) ?? createLockShares(group, pollMs);
      groups.set(group, shares);
      return { runWhileHolding: (name, activity) => runWhileHolding(name, activity, shares) };
    },
  };
}
