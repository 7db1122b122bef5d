import type { VaultKeyType } from '../../application/ports/keyVault.ts';

/** Message for an RSA key asked to sign a bare digest. */
export const signsMessagesOnly = (label: string) =>
  `The key ${label} is an RSA key, which signs messages only, never a digest.`;

/** A software key at rest. */
export interface EncryptedKey {
  readonly label: string;
  readonly type: VaultKeyType;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  /** 12-byte nonce, 16-byte tag, AES-256-GCM ciphertext of the PKCS#8 key. */
  readonly encrypted: Buffer;
}

/** Storage of encrypted keys. @throws Unavailable(keyVault) */
export interface EncryptedKeys {
  find(label: string): Promise<EncryptedKey | null>;
  /** Stores `key` unless its label exists; returns the key that has the label. */
  keep(key: EncryptedKey): Promise<EncryptedKey>;
  check(): Promise<void>;
}
