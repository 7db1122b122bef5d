/** Remembers what was used once, for as long as it could be used again. */
export interface ReplayStore {
  /**
   * Records a use.
   *
   * @param key unpredictable or signed, so that nobody can use up another's
   * @param usableUntil after this the key would be refused for its age anyway, and may be forgotten
   * @returns whether this was the first use
   * @throws Overloaded when more is in use than can be remembered: a use that could not be recorded is refused
   */
  firstUse(key: string, usableUntil: Date): boolean | Promise<boolean>;
}
