/** Time of the fake platform, ms since its start: it passes when it is told to. */
export interface FakeTime {
  readonly now: number;
  advance(ms: number): void;
  /** Ends what waits until a time that has come. */
  wake(): void;
  /**
   * Waits until `ms` have passed or `onEnd` calls back; rejects with the signal's reason when it is aborted.
   *
   * @param onEnd called once, with what ends the waiting
   */
  wait(ms: number, signal: AbortSignal | null, onEnd: (end: () => void) => void): Promise<void>;
}

interface Waiter {
  readonly until: number;
  readonly end: () => void;
}

export function createFakeTime(): FakeTime {
  const waiters = new Set<Waiter>();
  let now = 0;
  return {
    get now() {
      return now;
    },
    advance: (ms) => {
      now += ms;
    },
    wake: () => {
      for (const waiter of [...waiters]) if (waiter.until <= now) waiter.end();
    },
    wait: (ms, signal, onEnd) =>
      new Promise<void>((resolve, reject) => {
        const waiter: Waiter = {
          until: now + ms,
          end: () => {
            waiters.delete(waiter);
            resolve();
          },
        };
        waiters.add(waiter);
        onEnd(waiter.end);
        const abort = () => {
          waiters.delete(waiter);
          reject(signal?.reason as Error);
        };
        signal?.addEventListener('abort', abort, { once: true });
      }),
  };
}
