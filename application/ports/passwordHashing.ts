/** Passwords at rest: a memory-hard hash that names its own parameters. */
export interface PasswordHashing {
  /** @throws Overloaded when too many are waiting */
  hash(password: string): Promise<string>;
  /**
   * Whether `password` is the one that was hashed. Without a hash (null) it never is, which takes as long to find out.
   *
   * @throws Overloaded when too many are waiting
   */
  verify(password: string, hash: string | null): Promise<boolean>;
  /** Whether the hash was made with other parameters than are used now. */
  isOutdated(hash: string): boolean;
}
