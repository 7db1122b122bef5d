/**
 * Encryption of personal data under one data key per person (AES-256-GCM), the data keys wrapped by the master key and
 * stored outside the log. Destroying a person's key crypto-shreds their data everywhere at once: log, read models,
 * registry table. `subject` is a civil id; `null` is the platform itself, whose key is never destroyed.
 *
 * @throws Unavailable(database) from every method that must read the keys during an outage
 */
export interface PersonalDataVault {
  /** Encrypts text. Creates the subject's key on first use. @throws SubjectForgotten */
  encrypt(subject: string | null, plaintext: string): Promise<string>;
  /** Decrypts text; `null` when the subject's key was destroyed. */
  decrypt(subject: string | null, encrypted: string): Promise<string | null>;
  /** Synchronous `open` when the subject's key is cached; `undefined` when `open` must be called. For replays. */
  decryptAtOnce(subject: string | null, encrypted: string): string | undefined;
  /** Encrypts an IP address under the key of its person or operator, as one text that says whose. @throws SubjectForgotten */
  encryptAddress(of: string | null, address: string): Promise<string>;
  /** The address of an event's metadata; null: none, or its person was forgotten. */
  decryptAddress(ip: string | null): Promise<string | null>;
  /** A keyed fingerprint (HMAC-SHA-256, hexadecimal) to look a value up without storing it in the clear. */
  blindIndex(purpose: string, value: string): string;
  /** Destroys the subject's key, in every process, for good. Idempotent. */
  forget(subject: string): Promise<void>;
  isForgotten(subject: string): Promise<boolean>;
  /** Those of the subjects whose key was destroyed. */
  forgottenAmong(subjects: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Registers a callback for forgotten persons, here or in another process (there within seconds), so that caches drop
   * decrypted data. Returns the unregister function.
   */
  onForgotten(listener: (subject: string) => void): () => void;
}

/** The person's key was destroyed: new data of a forgotten person is refused. */
export class SubjectForgotten extends Error {
  override readonly name = 'SubjectForgotten';

  constructor() {
    super('The person was forgotten. No further personal data may be stored.');
  }
}
