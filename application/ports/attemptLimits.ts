/** Limits guessing by counting attempts per key. Use cases count by `countAttempt` (application/attempts.ts). */
export interface AttemptLimits {
  /**
   * Counts one attempt before it is made, so that parallel attempts count too.
   *
   * @param keptFree attempts that this one must leave to others; default 0
   * @param places number of attempts that this one counts as; default 1
   * @returns 0 when it may be made, otherwise the seconds to wait; nothing is counted then
   */
  attempt(key: string, keptFree?: number, places?: number): number | Promise<number>;
  /** Seconds to wait before the next attempt, without counting one; 0: none. */
  wait(key: string): number | Promise<number>;
  /** Takes back an attempt that {@link attempt} counted, with the same places; the count never falls below 0. */
  takeBack(key: string, places?: number): void | Promise<void>;
  /** Resets the count after a successful attempt. */
  succeeded(key: string): void | Promise<void>;
}
