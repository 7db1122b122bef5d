import type { VaultKeyType } from '../../application/ports/keyVault.ts';

/** Message for a key of RSA or Ed25519 asked to sign a bare digest. */
export const signsMessagesOnly = (label: string) =>
  `The key ${label} is of a type that signs messages only, never a digest.`;

/** A software key at rest. */
export interface EncryptedKey {
  readonly label: string;
  readonly type: VaultKeyType;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  /**
   * Version byte, without which it is of generation 0, 12-byte nonce, 16-byte tag, AES-256-GCM ciphertext of the PKCS#8
   * key.
   */
  readonly encrypted: Buffer;
}

/** Storage of encrypted keys. @throws Unavailable(keyVault) */
export interface EncryptedKeys {
  find(label: string): Promise<EncryptedKey | null>;
  /**
   * Stores `key` unless its label exists.
   *
   * @param generation of the master key it is encrypted under
   * @returns the key that has the label; null: the generation is no longer the current one, and nothing was stored
   */
  keep(key: EncryptedKey, generation: number): Promise<EncryptedKey | null>;
  check(): Promise<void>;
}
