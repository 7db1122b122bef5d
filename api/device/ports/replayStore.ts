/** Records values that may be used once, for as long as they are valid. */
export interface ReplayStore {
  /**
   * Records a use.
   *
   * @param key unpredictable or signed, so that others cannot use it up
   * @param usableUntil expiry of the key, after which the record may be dropped
   * @returns false for a repeated use
   * @throws Overloaded when the capacity is exceeded: a use that cannot be recorded is refused
   */
  firstUse(key: string, usableUntil: Date): boolean | Promise<boolean>;
}
