/** Password storage: a memory-hard hash that contains its parameters. */
export interface PasswordHashing {
  /** @throws Overloaded when the queue is full */
  hash(password: string): Promise<string>;
  /**
   * True when `password` matches the hash. False for null, in equal time (no user enumeration).
   *
   * @throws Overloaded when the queue is full
   */
  verify(password: string, hash: string | null): Promise<boolean>;
  /** True when the hash was made with other parameters than the current ones. */
  isOutdated(hash: string): boolean;
}
