/** Checkpoint of a subscriber, persisted across restarts. */
export interface Checkpoints {
  /** `null`: at the beginning. @throws Unavailable(database) */
  load(name: string): Promise<bigint | null>;
  /**
   * Advances by compare-and-set: `expected` is the value this subscriber loaded or saved last.
   *
   * @returns false when the checkpoint was not at `expected`; nothing was changed then
   * @throws Unavailable(database)
   */
  save(name: string, expected: bigint | null, position: bigint): Promise<boolean>;
}
