/**
 * Indexes that make a person findable without personal data in the clear, such as fingerprints of registration numbers.
 * Once the person's key is destroyed these are the last traces.
 */
export interface PersonTraces {
  /** Removes them. Idempotent. */
  forget(civilId: string): Promise<void>;
}
