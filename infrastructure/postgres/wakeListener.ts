import pg from 'pg';
import { backOff, pause } from '../../application/ports/follow.ts';
import { wakeAll, wakeChannel } from '../../application/ports/wakeMessages.ts';
import { createWakeHub, type WakeHub } from './wakeHub.ts';

export interface WakeOptions {
  readonly url: string;
  /** How often the connection is checked, milliseconds; default 5000. */
  readonly checkMs?: number;
}

/** Wakes across processes. */
export interface PostgresWake extends WakeHub {
  /** Resolves when notifications arrive, or the first attempt to connect failed; goes on connecting then. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Whether notifications arrive. */
  isListening(): boolean;
}

/**
 * {@link WakeHub} fed by the single LISTEN connection of this process. After every reconnection all waiters wake and all
 * caches are cleared, since notifications may have been missed.
 */
export function createWake({ url, checkMs = 5000 }: WakeOptions): PostgresWake {
  const hub = createWakeHub();
  let stopped = new AbortController();
  let running: Promise<void> | undefined;
  let listening: pg.Client | undefined;

  function receive(payload: string) {
    if (payload === wakeAll) hub.wakeAll();
    else hub.wake(payload.split('\n'));
  }

  async function listen(onFirst: () => void) {
    const client = new pg.Client({
      connectionString: url,
      application_name: 'tamga-wake',
      connectionTimeoutMillis: 5000,
      query_timeout: 5000,
      keepAlive: true,
    });
    const lost = new AbortController();
    client.on('error', () => lost.abort());
    client.on('end', () => lost.abort());
    client.on('notification', ({ payload }) => receive(payload ?? ''));
    const gone = AbortSignal.any([stopped.signal, lost.signal]);
    try {
      await client.connect();
      await client.query(`listen ${wakeChannel}`);
      listening = client;
      hub.wakeAll();
      onFirst();
      while (!gone.aborted) {
        await pause(checkMs, gone);
        await client.query('select 1');
      }
    } finally {
      listening = undefined;
      await client.end().catch(() => undefined);
    }
  }

  async function run(onFirst: () => void) {
    for (let tries = 1; !stopped.signal.aborted; tries += 1) {
      try {
        await listen(() => {
          tries = 0;
          onFirst();
        });
      } catch {
        // PostgreSQL is away: the requests that need it say so; waiting ones go on waiting.
        onFirst();
      }
      await pause(backOff(Math.max(1, tries)), stopped.signal);
    }
  }

  return {
    ...hub,
    start() {
      if (running !== undefined) return Promise.resolve();
      stopped = new AbortController();
      return new Promise((resolve) => {
        running = run(resolve);
      });
    },
    async stop() {
      stopped.abort();
      await running;
      running = undefined;
    },
    isListening: () => listening !== undefined,
  };
}
