/** Slows down guessing: counts attempts for a key and says when there were too many. */
export interface AttemptLimits {
  /**
   * Counts one attempt, before it is made, so that attempts at once count too.
   *
   * @returns 0 when it may be made, otherwise the seconds after which trying again makes sense
   */
  attempt(key: string): number | Promise<number>;
  /** Forgets the attempts: one of them was right. */
  succeeded(key: string): void | Promise<void>;
}
