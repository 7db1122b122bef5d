import type { Subscription } from './eventLog.ts';

interface Stoppable {
  readonly onStopped?: (cause: unknown) => void;
}

/**
 * Subscribes until `signal` aborts: resolves then, and rejects with the cause when the subscription ends by itself. No
 * batch is in progress when it settles.
 */
export function follow<Options extends Stoppable>(
  log: { subscribe(options: Options): Subscription },
  options: Omit<Options, 'onStopped'>,
  signal: AbortSignal,
): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const subscription = log.subscribe({
      ...options,
      onStopped: (cause) => {
        signal.removeEventListener('abort', stop);
        reject(cause instanceof Error ? cause : new Error('The subscription ended.', { cause }));
      },
      // The options are complete again, which TypeScript cannot infer.
    } as Options);
    function stop() {
      subscription.stop().then(resolve, reject);
    }
    signal.addEventListener('abort', stop, { once: true });
  });
}

/** Result of `work`, or undefined as soon as `signal` aborts; `work` continues, its result ignored. */
export function unlessAborted<Result>(
  work: Promise<Result>,
  signal: AbortSignal,
): Promise<Result | undefined> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve(undefined);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

/** Waits `milliseconds`, or until `signal` aborts; short waits need none. */
export function pause(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted === true) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(finish, milliseconds);
    function finish() {
      clearTimeout(timer);
      signal?.removeEventListener('abort', finish);
      resolve();
    }
    signal?.addEventListener('abort', finish, { once: true });
  });
}

/** Interval of the instants at which followers store how far they came when nothing else stores it, ms. */
const STORE_EVERY_MS = 250;

/** Milliseconds to the next such instant. All followers of a process share them, so that one statement stores for all. */
export function untilPositionsAreStored(): number {
  return STORE_EVERY_MS - (performance.now() % STORE_EVERY_MS);
}

/** Milliseconds to wait before attempt number `tries` (from 1): doubling from 50 ms to 5 s, with jitter. */
export function backOff(tries: number): number {
  return Math.min(5000, 50 * 2 ** Math.min(tries - 1, 10)) * (0.5 + Math.random() / 2);
}
