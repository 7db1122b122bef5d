import type { WakeBroadcaster, WakeSender } from '../../application/ports/wake.ts';

/**
 * Wakes this process at once and the others right after, without waiting for the projection that will tell them again.
 * One announcement is under way at a time; what comes meanwhile goes into the next. One that fails is not repeated:
 * the projection's is the net.
 */
export function createEagerWake(wake: WakeSender & WakeBroadcaster): WakeSender {
  let waiting: string[] = [];
  let announcing = false;

  async function announce(): Promise<void> {
    announcing = true;
    while (waiting.length > 0) {
      const topics = waiting;
      waiting = [];
      await wake.broadcast(topics).catch(() => undefined);
    }
    announcing = false;
  }

  return {
    wake: (topics) => {
      wake.wake(topics);
      waiting.push(...topics);
      if (!announcing) void announce();
    },
  };
}
