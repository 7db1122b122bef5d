/** Where a subscriber is in the log, kept across restarts. */
export interface Checkpoints {
  /** `null`: at the beginning. @throws Unavailable(database) */
  load(name: string): Promise<bigint | null>;
  /**
   * Moves on, provided nobody else did since: `expected` is what this subscriber loaded or saved last.
   *
   * @returns false when the checkpoint was not at `expected`; nothing was changed then
   * @throws Unavailable(database)
   */
  save(name: string, expected: bigint | null, position: bigint): Promise<boolean>;
}
