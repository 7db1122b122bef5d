/**
 * Encryption of personal data under one key per person (AES-256-GCM), the keys wrapped by the master key and kept
 * outside the log. Destroying a person's key forgets the person everywhere at once: log, read models, registry table.
 *
 * `subject` is a civil id; `null` is the platform itself, whose key is never destroyed.
 *
 * @throws Unavailable(database) from every method that must reach the keys when it cannot
 */
export interface PersonalDataVault {
  /** Encrypts text. Creates the subject's key when there is none yet. @throws SubjectForgotten */
  seal(subject: string | null, plaintext: string): Promise<string>;
  /** The text sealed, or `null` when the subject's key was destroyed. */
  open(subject: string | null, sealed: string): Promise<string | null>;
  /** As `open`, at once, when the subject's key is in memory; `undefined` when `open` must be asked. For replays. */
  openAtOnce(subject: string | null, sealed: string): string | undefined;
  /** A keyed fingerprint (HMAC-SHA-256, hexadecimal) to look a value up without keeping it in the clear. */
  blindIndex(purpose: string, value: string): string;
  /** Destroys the subject's key, in every process, for good. Repeating it changes nothing. */
  forget(subject: string): Promise<void>;
  isForgotten(subject: string): Promise<boolean>;
  /**
   * Calls back whenever a person was forgotten, here or in another process (there within seconds), so that whatever
   * keeps decrypted data in memory drops it. Returns how to unregister.
   */
  onForgotten(listener: (subject: string) => void): () => void;
}

/** Sealing for a person whose key was destroyed: new data of a forgotten person is refused. */
export class SubjectForgotten extends Error {
  override readonly name = 'SubjectForgotten';

  constructor() {
    super('The person was forgotten; no further personal data may be kept.');
  }
}
