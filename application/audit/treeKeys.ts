import { sha256Hex } from '../../domain/shared/digest.ts';
import type { Clock } from '../ports/clock.ts';
import type { AuditTreeStore } from './ports/auditTree.ts';
import type { CertificateAuthority } from '../ports/certificateAuthority.ts';
import type { KeyVault } from '../ports/keyVault.ts';
import type { Randomness } from '../ports/randomness.ts';
import { newSerial } from '../certificate/certify.ts';

/** A key that signs or signed tree heads. */
export interface TreeKey {
  /** SubjectPublicKeyInfo, DER. */
  readonly publicKey: Buffer;
  /** DER, issued by the Root CA; null: not certified, so that it may be a forger's who can write the database. */
  readonly certificate: Buffer | null;
}

/** Keys of tree heads. @throws Unavailable(database, keyVault) */
export interface TreeKeys {
  /** The key in the vault; certified by the Root CA when it is used for the first time. */
  current(): Promise<TreeKey>;
  /** Current and former keys, the current one first. */
  all(): Promise<readonly TreeKey[]>;
  sign(message: Uint8Array): Promise<Buffer>;
}

export interface TreeKeysOptions {
  readonly store: Pick<AuditTreeStore, 'publicKeys' | 'keyCertificates' | 'keepKeyCertificate'>;
  readonly keyVault: Pick<KeyVault, 'ensureKey' | 'sign'>;
  readonly authority: Pick<CertificateAuthority, 'issue' | 'issuer' | 'beginOfValidity'>;
  /** Reads the certified key; null: not a certificate of the Root CA for such a key. */
  readonly keyIn: (certificate: Buffer) => Buffer | null;
  readonly clock: Clock;
  readonly randomness: Randomness;
}

/** Common name of the certificates of these keys. */
export const TREE_KEY_NAME = 'Tamga Audit Tree';

/** Used for tree heads only: its signatures cannot be taken for anything else. */
export const TREE_KEY_LABEL = 'audit-tree-head';

/**
 * Only the key in the vault is ever certified, never one from the database: earlier keys stay without a certificate.
 */
export function createTreeKeys(options: TreeKeysOptions): TreeKeys {
  const { store, keyVault, authority, keyIn, randomness, clock } = options;
  let known: TreeKey | undefined;

  async function withCertificates(publicKeys: readonly Buffer[]): Promise<readonly TreeKey[]> {
    const kept = await store.keyCertificates();
    return publicKeys.map((publicKey) => {
      const isOfKey = (certificate: Buffer) => keyIn(certificate)?.equals(publicKey) === true;
      return { publicKey, certificate: kept.find(isOfKey) ?? null };
    });
  }

  /** Null: the root is offline, and what it certified is installed as a file. */
  async function certify(publicKey: Buffer): Promise<Buffer | null> {
    if (!authority.issuer('root').isOnline) return null;
    const certificate = await authority.issue({
      type: 'TREE_KEY',
      authority: 'root',
      commonName: TREE_KEY_NAME,
      keyType: 'P-256',
      serial: newSerial(randomness),
      publicKey,
      notBefore: authority.beginOfValidity('root', clock.now()),
      notAfter: authority.issuer('root').notAfter,
    });
    await store.keepKeyCertificate(sha256Hex(publicKey), certificate);
    return certificate;
  }

  async function current(): Promise<TreeKey> {
    const { publicKey } = await keyVault.ensureKey(TREE_KEY_LABEL, 'P-256');
    if (known?.publicKey.equals(publicKey) === true) return known;
    const [kept] = await withCertificates([publicKey]);
    const found = { publicKey, certificate: kept?.certificate ?? (await certify(publicKey)) };
    // One without a certificate may get it any time.
    if (found.certificate !== null) known = found;
    return found;
  }

  return {
    current,
    async all() {
      const first = await current();
      const former = await store.publicKeys();
      const others = former.filter((key) => !key.equals(first.publicKey));
      return [first, ...(await withCertificates(others))];
    },
    sign: (message) => keyVault.sign(TREE_KEY_LABEL, message, 'SHA256'),
  };
}
