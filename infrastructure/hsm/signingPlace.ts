/** A token that answered through the pool within this may be one nobody need wait for, ms. */
const PROMISING_MS = 0.5;
/** A signature as quick as this is made on the spot: the way through the pool and back costs more, ms. */
const QUICK_MS = 0.15;
/** So many in a row that took longer, and it is no such token; single ones are late because the thread was interrupted. */
const LATE_IN_A_ROW = 8;
/** How long such a token is not tried again, ms. */
const REST_MS = 1000;

/** The two ways to the same signature. */
export interface Signing<T> {
  /** Holds up the thread. */
  onTheSpot(): T;
  /** In libuv's thread pool. */
  inPool(): Promise<T>;
}

/**
 * Makes signatures where they cost least: in this thread while the token answers at once, as one in the same machine
 * does; in the pool, several at a time, when it lets one wait, as one in the network does. A token that does not answer
 * at all is met in the pool unless it was quick a moment before.
 *
 * @param now milliseconds, monotonic
 */
export function createSigningPlace(
  now: () => number = () => performance.now(),
): <T>(signing: Signing<T>) => Promise<T> {
  let isQuick = false;
  let late = 0;
  let notBefore = -Infinity;

  function noteOnTheSpot(end: number, milliseconds: number): void {
    late = milliseconds > QUICK_MS ? late + 1 : 0;
    if (late < LATE_IN_A_ROW) return;
    isQuick = false;
    notBefore = end + REST_MS;
  }

  function noteInPool(end: number, milliseconds: number): void {
    if (isQuick || milliseconds > PROMISING_MS || end < notBefore) return;
    isQuick = true;
    late = 0;
  }

  return async ({ onTheSpot, inPool }) => {
    const begin = now();
    if (isQuick) {
      const made = onTheSpot();
      const end = now();
      noteOnTheSpot(end, end - begin);
      return made;
    }
    const made = await inPool();
    const end = now();
    noteInPool(end, end - begin);
    return made;
  };
}
