import type { Wake, WakeFeed, WakeListener, WakeSender } from '../../application/ports/wake.ts';

/** Waiters and caches of one process. */
export interface WakeHub extends Wake, WakeSender, WakeFeed {
  /** Wakes every waiter and clears every cache: something may have been missed. */
  wakeAll(): void;
  /** Topics with a waiter, for metrics. */
  waiting(): number;
}

interface Waiter {
  readonly wake: () => void;
}

/** Keeps waiters by topic, in memory. A waiter costs one promise and no timer. */
export function createWakeHub(): WakeHub {
  const waiters = new Map<string, Set<Waiter>>();
  const feeds = new Set<(topics: readonly string[] | 'all') => void>();

  function release(topic: string) {
    const released = waiters.get(topic);
    if (released === undefined) return;
    waiters.delete(topic);
    for (const waiter of released) waiter.wake();
  }

  return {
    listen(topic): WakeListener {
      let wake: () => void = () => undefined;
      const changed = new Promise<void>((resolve) => {
        wake = resolve;
      });
      const waiter = { wake };
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
    wake(topics) {
      if (topics.length === 0) return;
      for (const feed of feeds) feed(topics);
      for (const topic of topics) release(topic);
    },
    wakeAll() {
      for (const feed of feeds) feed('all');
      for (const topic of [...waiters.keys()]) release(topic);
    },
    subscribe(onWake) {
      feeds.add(onWake);
      return () => feeds.delete(onWake);
    },
    waiting: () => waiters.size,
  };
}
