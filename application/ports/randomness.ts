/** Unpredictable values. */
export interface Randomness {
  /** A lower-case UUID, version 4. */
  uuid(): string;
  /** `count` random bytes. */
  bytes(count: number): Buffer;
  /** A string of `length` characters `[A-Za-z0-9]`, each equally likely. */
  alphanumeric(length: number): string;
}
