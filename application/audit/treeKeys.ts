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

/** Used for tree heads only: its signatures cannot be taken for anything else. */
const KEY_LABEL = 'audit-tree-head';

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

  async function certify(publicKey: Buffer): Promise<Buffer> {
    const certificate = await authority.issue({
      type: 'TREE_KEY',
      authority: 'root',
      commonName: 'Tamga Audit Tree',
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
    const { publicKey } = await keyVault.ensureKey(KEY_LABEL, 'P-256');
    if (known?.publicKey.equals(publicKey) !== true) {
      const [kept] = await withCertificates([publicKey]);
      known = { publicKey, certificate: kept?.certificate ?? (await certify(publicKey)) };
    }
    return known;
  }

  return {
    current,
    async all() {
      const first = await current();
      const former = await store.publicKeys();
      const others = former.filter((key) => !key.equals(first.publicKey));
      return [first, ...(await withCertificates(others))];
    },
    sign: (message) => keyVault.sign(KEY_LABEL, message, 'SHA256'),
  };
}
