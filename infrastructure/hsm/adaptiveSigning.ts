/** A pooled signature within this time may indicate a token fast enough for synchronous signing, ms. */
const CANDIDATE_MS = 0.5;
/** Signatures this fast are made synchronously: the thread pool costs more, ms. */
const SYNC_THRESHOLD_MS = 0.15;
/** Consecutive slower signatures that end synchronous signing; single ones may be due to a preempted thread. */
const SLOW_IN_A_ROW = 8;
/** Cooldown before synchronous signing is tried again, ms. */
const COOLDOWN_MS = 1000;

/** The two ways to make a signature. */
export interface Signing<T> {
  /** Synchronous; blocks the thread. */
  signSync(): T;
  /** In libuv's thread pool. */
  signAsync(): Promise<T>;
}

/**
 * Chooses synchronous or asynchronous signing by latency: in this thread while the token answers at once, as one in the
 * same machine does; in the pool, several at a time, when it does not, as one in the network. An unresponsive token is
 * met in the pool unless it was fast a moment before.
 *
 * @param now milliseconds, monotonic
 */
export function createAdaptiveSigning(
  now: () => number = () => performance.now(),
): <T>(signing: Signing<T>) => Promise<T> {
  let isSync = false;
  let slow = 0;
  let notBefore = -Infinity;

  function recordSync(end: number, milliseconds: number): void {
    slow = milliseconds > SYNC_THRESHOLD_MS ? slow + 1 : 0;
    if (slow < SLOW_IN_A_ROW) return;
    isSync = false;
    notBefore = end + COOLDOWN_MS;
  }

  function recordAsync(end: number, milliseconds: number): void {
    if (isSync || milliseconds > CANDIDATE_MS || end < notBefore) return;
    isSync = true;
    slow = 0;
  }

  return async ({ signSync, signAsync }) => {
    const begin = now();
    if (isSync) {
      const made = signSync();
      const end = now();
      recordSync(end, end - begin);
      return made;
    }
    const made = await signAsync();
    const end = now();
    recordAsync(end, end - begin);
    return made;
  };
}
