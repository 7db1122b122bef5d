import type { HashType } from '../../domain/shared/digest.ts';

/** Types of platform keys. Citizens' keys are never in the vault. */
export type VaultKeyType = 'P-256' | 'P-384' | 'RSA-3072' | 'Ed25519';

/**
 * Types of keys that sign digests: not RSA, whose padding covers the name of the hash, nor Ed25519, which reads a
 * message twice (RFC 8032 §5.1.6).
 */
export type EcdsaKeyType = Exclude<VaultKeyType, 'RSA-3072' | 'Ed25519'>;

/**
 * Padding of an RSA signature (RFC 8017 §8): PSS with MGF1 over the same hash and a salt as long as it, or PKCS#1 v1.5.
 * A key is used with one of them alone.
 */
export type RsaPadding = 'PSS' | 'PKCS1';

export interface VaultKey {
  /** Unique in the vault. */
  readonly label: string;
  readonly type: VaultKeyType;
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
}

/**
 * The platform's private keys: software keys encrypted under the master key, or PKCS#11. A private key never leaves it.
 *
 * @throws Unavailable(keyVault) from every method when the module, token or database does not answer
 * @throws Overloaded from the signing methods when too many signatures are waiting
 * @throws Error from the signing methods when there is no key of that label, or the digest has another length
 */
export interface KeyVault {
  /** Returns the key of that label, created when missing. Safe to call from several processes. */
  ensureKey(label: string, type: VaultKeyType): Promise<VaultKey>;
  findKey(label: string): Promise<VaultKey | null>;
  /**
   * ECDSA over `digest` without further hashing; the hash length must suit the caller's algorithm.
   *
   * @param digest raw bytes, 32, 48 or 64
   * @returns DER SEQUENCE of r and s
   * @throws Error for a key of RSA or Ed25519
   */
  signDigest(label: string, digest: Uint8Array): Promise<Buffer>;
  /**
   * A signature over `hash` of `message`: with software keys much faster than {@link signDigest}.
   *
   * @param hash without effect for keys of Ed25519, which have their own
   * @param padding of RSA keys, default PKCS1; without effect for the others
   * @returns DER SEQUENCE of r and s; of RSA keys the signature as long as the modulus, of Ed25519 64 bytes
   */
  sign(label: string, message: Uint8Array, hash: HashType, padding?: RsaPadding): Promise<Buffer>;
  /** Resolves when the vault can sign. */
  check(): Promise<void>;
}
