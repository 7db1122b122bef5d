/** Storage of wrapped data keys: PostgreSQL, or memory in tests. Both pass the vault's contract suite. */
export interface PersonKeys {
  /** State of each subject: its wrapped key, or that it was destroyed. Unknown subjects are left out. */
  find(subjects: readonly string[]): Promise<ReadonlyMap<string, Buffer | 'destroyed'>>;
  /**
   * Adds keys of subjects without one; an existing key is unchanged, so the first writer wins.
   *
   * @param generation of the master key they are wrapped under
   * @returns false: it is no longer the current one, and nothing was added
   */
  add(wrappedKeys: ReadonlyMap<string, Buffer>, generation: number): Promise<boolean>;
  /** Destroys the key and records the destruction, even of a subject without a key. Idempotent. */
  destroy(subject: string): Promise<void>;
  /** Subjects destroyed after `cursor`, and the next cursor; `null` returns only the cursor. */
  destroyedAfter(cursor: bigint | null): Promise<Destroyed>;
}

export interface Destroyed {
  readonly subjects: readonly string[];
  readonly cursor: bigint;
}
