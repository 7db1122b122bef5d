import pg from 'pg';
import { backOff, pause } from '../../application/ports/follow.ts';
import { everyTopic, notificationChannel } from '../../application/ports/notifications.ts';
import { sessionAt } from './session.ts';
import type {
  NotificationFeed,
  NotificationListener,
  Notifications,
  NotificationSender,
  NotificationSubscriber,
} from '../../application/ports/notifications.ts';

/** Application name of each process's connection for notifications, without what it tells of the process. */
export const NOTIFICATION_CONNECTION = 'tamga-wake';

export interface NotificationOptions {
  readonly url: string;
  /** Application name of each connection made; begins with {@link NOTIFICATION_CONNECTION}, the default. */
  readonly name?: () => string;
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
  name = () => NOTIFICATION_CONNECTION,
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
      application_name: name(),
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

/** Waiters and caches of one process. */
export interface NotificationHub extends Notifications, NotificationSender, NotificationFeed {
  /** Notifies every waiter and clears every cache after notifications may have been missed. */
  notifyAll(): void;
  /** True while somebody waits for the topic. */
  isAwaited(topic: string): boolean;
  /** Number of topics with a waiter, for metrics. */
  waiting(): number;
}

interface Waiter {
  readonly notify: () => void;
}

/** Stores waiters by topic, in memory. A waiter costs one promise and no timer. */
export function createNotificationHub(): NotificationHub {
  const waiters = new Map<string, Set<Waiter>>();
  const subscribers = new Map<NotificationSubscriber, ReadonlySet<string>>();

  function release(topic: string) {
    const released = waiters.get(topic);
    if (released === undefined) return;
    waiters.delete(topic);
    for (const waiter of released) waiter.notify();
  }

  return {
    listen(topic): NotificationListener {
      let notify: () => void = () => undefined;
      const changed = new Promise<void>((resolve) => {
        notify = resolve;
      });
      const waiter = { notify };
      const sharing = waiters.get(topic);
      if (sharing === undefined) waiters.set(topic, new Set([waiter]));
      else sharing.add(waiter);
      return {
        changed,
        cancel() {
          const present = waiters.get(topic);
          if (present?.delete(waiter) === true && present.size === 0) waiters.delete(topic);
        },
      };
    },
    notify(topics) {
      if (topics.length === 0) return;
      for (const [subscriber, kinds] of subscribers) {
        const wanted = topics.filter(
          (topic) => kinds.has(topic.split(':', 1)[0] ?? topic) || kinds.has(topic),
        );
        if (wanted.length > 0) subscriber(wanted);
      }
      for (const topic of topics) release(topic);
    },
    notifyAll() {
      for (const subscriber of subscribers.keys()) subscriber('all');
      for (const topic of [...waiters.keys()]) release(topic);
    },
    subscribe(kinds, onNotification) {
      subscribers.set(onNotification, new Set(kinds));
      return () => subscribers.delete(onNotification);
    },
    isAwaited: (topic) => waiters.has(topic),
    waiting: () => waiters.size,
  };
}
