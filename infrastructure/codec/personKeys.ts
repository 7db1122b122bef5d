/** Storage of wrapped data keys: PostgreSQL, or memory in tests. Both pass the vault's contract suite. */
export interface PersonKeys {
  /** State of each subject: its wrapped key, or that it was destroyed. Unknown subjects are left out. */
  find(subjects: readonly string[]): Promise<ReadonlyMap<string, Buffer | 'destroyed'>>;
  /** Adds keys of subjects nothing is kept for; for the others it changes nothing, so that the first writer wins. */
  add(wrappedKeys: ReadonlyMap<string, Buffer>): Promise<void>;
  /** Destroys the key and remembers that it was destroyed, even when there never was one. Idempotent. */
  destroy(subject: string): Promise<void>;
  /** Subjects destroyed after `cursor`, and the cursor to ask with next; `null` asks for the cursor alone. */
  destroyedAfter(cursor: bigint | null): Promise<Destroyed>;
}

export interface Destroyed {
  readonly subjects: readonly string[];
  readonly cursor: bigint;
}
