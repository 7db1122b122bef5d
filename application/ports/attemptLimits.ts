/** Limits guessing by counting attempts per key. */
export interface AttemptLimits {
  /**
   * Counts one attempt before it is made, so that parallel attempts count too.
   *
   * @returns 0 when it may be made, otherwise the seconds to wait
   */
  attempt(key: string): number | Promise<number>;
  /** Takes back one counted attempt, the successful one. */
  takeBack(key: string): void | Promise<void>;
  /** Resets the count after a successful attempt. */
  succeeded(key: string): void | Promise<void>;
}
