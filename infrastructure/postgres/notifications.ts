import pg from 'pg';
import { backOff, pause } from '../../application/ports/follow.ts';
import { everyTopic, notificationChannel } from '../../application/ports/notificationMessages.ts';
import { createNotificationHub, type NotificationHub } from './notificationHub.ts';
import { sessionAt } from './session.ts';

/** Application name of each process's connection for notifications. */
export const NOTIFICATION_CONNECTION = 'tamga-wake';

export interface NotificationOptions {
  readonly url: string;
  /** Interval of the connection check, milliseconds; default 5000. */
  readonly checkMs?: number;
}

/** Notifications across processes. */
export interface PostgresNotifications extends NotificationHub {
  /** Resolves when notifications arrive, or the first attempt to connect failed; connecting then continues. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** True while notifications arrive. */
  isListening(): boolean;
}

/**
 * {@link NotificationHub} fed by this process's LISTEN connection. After every reconnection all waiters are notified and
 * all caches cleared, since notifications may have been missed.
 */
export function createNotifications({
  url,
  checkMs = 5000,
}: NotificationOptions): PostgresNotifications {
  const hub = createNotificationHub();
  let stopped = new AbortController();
  let running: Promise<void> | undefined;
  let listening: pg.Client | undefined;

  function receive(payload: string) {
    if (payload === everyTopic) hub.notifyAll();
    else hub.notify(payload.split('\n'));
  }

  async function listen(onFirst: () => void) {
    const client = new pg.Client({
      ...sessionAt(url),
      application_name: NOTIFICATION_CONNECTION,
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
      await client.query(`listen ${notificationChannel}`);
      listening = client;
      hub.notifyAll();
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
        // PostgreSQL is unavailable: requests that need it fail; waiting ones keep waiting.
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
