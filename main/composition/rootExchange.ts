import { X509Certificate } from 'node:crypto';
import { TREE_KEY_LABEL } from '../../application/audit/treeKeys.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { systemClock, systemRandomness } from '../../infrastructure/system.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { openKeyVault } from '../../infrastructure/hsm/openKeyVault.ts';
import type { KeyVault, VaultKey } from '../../application/ports/keyVault.ts';
import { authorities, caKeyLabel, createCaIssuing } from '../../infrastructure/pki/caIssuing.ts';
import { certificationRequest } from '../../infrastructure/pki/certificationRequest.ts';
import { createEcdsaDigestPool } from '../../infrastructure/pki/ecdsaDigestPool.ts';
import { isSignedBy, signatureScheme } from '../../infrastructure/pki/kernel/statedSignature.ts';
import { pemCertificates } from '../../infrastructure/pki/readCertificates.ts';
import {
  type ReadRevocationList,
  revocationListsIn,
} from '../../infrastructure/pki/revocationListReader.ts';
import { treeKeyIn } from '../../infrastructure/pki/treeKeyCertificate.ts';
import { createPostgresAuditTree } from '../../infrastructure/postgres/auditTree.ts';
import { createPostgresCaCertificates } from '../../infrastructure/postgres/caCertificates.ts';
import { assertKnownSchema } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase } from '../../infrastructure/postgres/pool.ts';
import { createPostgresRevocationLists } from '../../infrastructure/postgres/revocationLists.ts';
import { expectOwnMasterKey, withPool } from './configChecks.ts';
import { openDatabase } from './foundation.ts';
import { certified } from './keys.ts';
import { type CertifiedByRoot, certifiedByRoot, subjectFor } from './offlineRoot.ts';

/** A request for a certificate of the root. */
export interface RootRequest {
  readonly name: CertifiedByRoot;
  readonly pem: string;
  /** SHA-256 of the public key, hexadecimal, to be compared where it is signed. */
  readonly keySha256: string;
}

/** Files that go to an offline root and come from it. */
export interface RootExchange {
  /** Requests for the keys in the vault, which are made where they are missing. */
  requests(): Promise<readonly RootRequest[]>;
  /**
   * Installs certificates and revocation lists of the root. Repeated it changes nothing.
   *
   * @param files their content, by name
   * @param rootSha256 SHA-256 of the root's certificate by the record of its ceremony; needed until one is installed
   * @returns a line for each thing installed
   * @throws Error that names the file whose content is not of this root, these keys and these settings
   */
  install(
    files: ReadonlyMap<string, Buffer>,
    rootSha256: string | undefined,
  ): Promise<readonly string[]>;
}

type Keys = Readonly<Record<CertifiedByRoot, VaultKey>>;

/**
 * Opens database and vault, whether or not the service runs, and closes them.
 *
 * @throws Error when the database was not migrated
 * @throws Misconfigured for another master key
 */
export async function withRootExchange<Result>(
  config: Config,
  work: (exchange: RootExchange) => Promise<Result>,
): Promise<Result> {
  const { databaseUrl, masterKey, closeDatabase } = await openDatabase(config);
  const ecdsaDigests = createEcdsaDigestPool({ threads: 1 });
  try {
    return await withPool(databaseUrl, async (pool) => {
      if ((await assertKnownSchema(createDatabase(pool))).applied.length === 0) {
        throw new Error('The database is empty: run ./tamga migrate first.');
      }
      await expectOwnMasterKey(masterKey, pool);
      const { keyVault, stop } = openKeyVault(config, { pool, masterKey, ecdsaDigests });
      try {
        return await work(createRootExchange(config, keyVault, pool));
      } finally {
        await stop();
      }
    });
  } finally {
    await ecdsaDigests.stop();
    await closeDatabase();
  }
}

function createRootExchange(
  config: Config,
  vault: KeyVault,
  pool: Parameters<Parameters<typeof withPool>[1]>[0],
): RootExchange {
  const { operator, ...facts } = certified(config);
  const issuing = createCaIssuing({
    ...facts,
    operator,
    vault,
    clock: systemClock,
    randomness: systemRandomness,
  });
  const certificates = createPostgresCaCertificates(pool);
  const tree = createPostgresAuditTree(pool, config.SVC_EVENTSTORE_URL === undefined);
  const lists = createPostgresRevocationLists(pool);
  const labels: Readonly<Record<CertifiedByRoot, string>> = {
    personal: caKeyLabel('personal'),
    organization: config.SVC_HSMPROXY_ORG_KEY_LABEL ?? caKeyLabel('organization'),
    'audit-tree': TREE_KEY_LABEL,
  };
  /** An Organization CA whose certificate the operator supplies is requested from nobody. */
  const names = certifiedByRoot.filter(
    (name) => name !== 'organization' || config.SVC_HSMPROXY_ORG_ISSUING_CERT === undefined,
  );

  async function keysOf(): Promise<Partial<Keys>> {
    const keys: Partial<Record<CertifiedByRoot, VaultKey>> = {};
    for (const name of names) keys[name] = await vault.ensureKey(labels[name], 'P-256');
    return keys;
  }

  async function installRoot(der: Buffer, rootSha256: string | undefined): Promise<string> {
    const kept = await certificates.find('root');
    if (kept === null && rootSha256?.toLowerCase() !== sha256Hex(der)) {
      throw new Error(
        rootSha256 === undefined
          ? `Say which root is trusted: --root-sha256 with the SHA-256 that the record of its ceremony states. The file's is ${sha256Hex(der)}.`
          : `It is another root than --root-sha256 says: its SHA-256 is ${sha256Hex(der)}.`,
      );
    }
    if (!(await certificates.keep('root', der)).equals(der)) {
      throw new Error('This installation already has another root.');
    }
    return `Root CA, SHA-256 ${sha256Hex(der)}`;
  }

  async function installCa(
    name: 'personal' | 'organization',
    der: Buffer,
    root: Buffer,
  ): Promise<string> {
    const { publicKey } = await vault.ensureKey(labels[name], 'P-256');
    issuing.issuerOf(name, der, publicKey, issuing.keyOf(name, publicKey, labels[name]));
    const rootKey = spkiOf(new X509Certificate(root));
    issuing.expectProfile(
      name,
      der,
      issuing.issuerOf('root', root, rootKey, issuing.keyOf('root', rootKey)),
    );
    if (!(await certificates.keep(name, der)).equals(der)) {
      throw new Error(`${authorities[name].commonName} already has another certificate.`);
    }
    return `${authorities[name].commonName}, SHA-256 ${sha256Hex(der)}`;
  }

  async function installTreeKey(der: Buffer, root: Buffer): Promise<string> {
    const { publicKey } = await vault.ensureKey(TREE_KEY_LABEL, 'P-256');
    if (treeKeyIn(der, root)?.equals(publicKey) !== true) {
      throw new Error('It certifies no key of this installation.');
    }
    await tree.keepKeyCertificate(sha256Hex(publicKey), der);
    return `Key of the audit tree, SHA-256 ${sha256Hex(der)}`;
  }

  async function installCertificate(
    der: Buffer,
    keys: Partial<Keys>,
    rootSha256: string | undefined,
  ): Promise<string> {
    const certificate = new X509Certificate(der);
    if (certificate.ca && certificate.verify(certificate.publicKey)) {
      return installRoot(der, rootSha256);
    }
    const root = await expectRoot();
    const anchor = new X509Certificate(root);
    if (!certificate.checkIssued(anchor) || !certificate.verify(anchor.publicKey)) {
      throw new Error('It was not issued by the root that is installed.');
    }
    if (!certificate.ca) return installTreeKey(der, root);
    const key = spkiOf(certificate);
    const name = names.find((each) => keys[each]?.publicKey.equals(key));
    if (name !== undefined && name !== 'audit-tree') return installCa(name, der, root);
    throw new Error('It certifies no key of this installation.');
  }

  async function installList(list: ReadRevocationList): Promise<string> {
    const { number, thisUpdate, nextUpdate, der } = list;
    const root = new X509Certificate(await expectRoot());
    const { signed, algorithm, signature } = list.signature;
    const scheme = signatureScheme(algorithm, null);
    if (scheme === null || !isSignedBy(root.publicKey, scheme, signed, signature)) {
      throw new Error('It is no revocation list of the root that is installed.');
    }
    if (number === null || nextUpdate === null) {
      throw new Error('The revocation list has no number, or no date of the next.');
    }
    const isNewer = await lists.keep({ authority: 'root', number, thisUpdate, nextUpdate, der });
    return `Revocation list ${number} of the root, next at the latest ${nextUpdate.toISOString()}${isNewer ? '' : ' (no newer than the installed one, which stays)'}`;
  }

  async function expectRoot(): Promise<Buffer> {
    const root = await certificates.find('root');
    if (root === null) throw new Error('There is no root yet: give root.pem with the others.');
    return root;
  }

  return {
    async requests() {
      const keys = await keysOf();
      const made: RootRequest[] = [];
      for (const name of names) {
        const { label = '', publicKey = Buffer.alloc(0) } = keys[name] ?? {};
        const pem = await certificationRequest(
          vault,
          { label, type: 'P-256', publicKey },
          subjectFor(name, operator),
        );
        made.push({ name, pem, keySha256: sha256Hex(publicKey) });
      }
      return made;
    },
    async install(files, rootSha256) {
      const keys = await keysOf();
      const installed: string[] = [];
      const inTurn = [...files].flatMap(contentOf);
      inTurn.sort((one, other) => one.order - other.order);
      for (const { file, ...found } of inTurn) {
        try {
          installed.push(
            found.list === null
              ? await installCertificate(found.der, keys, rootSha256)
              : await installList(found.list),
          );
        } catch (cause) {
          throw new Error(`${file}: not installed.`, { cause });
        }
      }
      return installed;
    },
  };
}

const spkiOf = (certificate: X509Certificate) =>
  certificate.publicKey.export({ type: 'spki', format: 'der' });

/** A certificate or a list of a file. */
interface Found {
  readonly file: string;
  readonly der: Buffer;
  readonly list: ReadRevocationList | null;
  /** Turn in which it is installed. */
  readonly order: number;
}

/** Certificates and lists of a file; the root comes before what it issued. @throws Error when there is none */
function contentOf([file, content]: readonly [string, Buffer]): readonly Found[] {
  const ders = pemCertificates(content.toString('latin1'));
  if (ders.length > 0) {
    return ders.map((der) => {
      const certificate = new X509Certificate(der);
      const isRoot = certificate.ca && certificate.verify(certificate.publicKey);
      return { file, der, list: null, order: isRoot ? 0 : 1 };
    });
  }
  try {
    return revocationListsIn(content).map((list) => ({ file, der: list.der, list, order: 2 }));
  } catch (cause) {
    throw new Error(`${file} holds neither certificates (PEM) nor a revocation list.`, { cause });
  }
}
