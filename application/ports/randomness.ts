/** Unpredictable values. */
export interface Randomness {
  /** A lower-case UUID, version 4. */
  uuid(): string;
  /**
   * A lower-case UUID, version 7 (RFC 9562 §5.7): the millisecond, then 74 random bits. For ids that are keys of large
   * indexes, events and sessions; what alone gives access is version 4.
   */
  timeOrderedUuid(): string;
  /** `count` random bytes. */
  bytes(count: number): Buffer;
  /** A string of `length` characters `[A-Za-z0-9]`, each equally likely. */
  alphanumeric(length: number): string;
}
