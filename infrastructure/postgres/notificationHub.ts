import type {
  Notifications,
  NotificationFeed,
  NotificationListener,
  NotificationSender,
} from '../../application/ports/notifications.ts';

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
  const feeds = new Set<(topics: readonly string[] | 'all') => void>();

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
      for (const feed of feeds) feed(topics);
      for (const topic of topics) release(topic);
    },
    notifyAll() {
      for (const feed of feeds) feed('all');
      for (const topic of [...waiters.keys()]) release(topic);
    },
    subscribe(onNotification) {
      feeds.add(onNotification);
      return () => feeds.delete(onNotification);
    },
    isAwaited: (topic) => waiters.has(topic),
    waiting: () => waiters.size,
  };
}
