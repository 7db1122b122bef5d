import { X509Certificate } from 'node:crypto';
import type pg from 'pg';
import { TREE_KEY_LABEL } from '../../application/audit/treeKeys.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { systemClock, systemRandomness } from '../../infrastructure/system.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { readMasterKeys } from '../../infrastructure/codec/postgresMasterKeys.ts';
import { openKeyVault } from '../../infrastructure/hsm/openKeyVault.ts';
import type { KeyVault, VaultKey } from '../../application/ports/keyVault.ts';
import type { CaCertificates } from '../../infrastructure/pki/caCertificates.ts';
import {
  authorities,
  type CaIssuer,
  caKeyLabel,
  createCaIssuing,
  DEFAULT_POLICY_ARC,
} from '../../infrastructure/pki/caIssuing.ts';
import { certificationRequest } from '../../infrastructure/pki/certificationRequest.ts';
import { createEcdsaDigestPool } from '../../infrastructure/pki/ecdsaDigestPool.ts';
import { treeKeyProfile } from '../../infrastructure/pki/profiles.ts';
import { pemCertificates } from '../../infrastructure/pki/readCertificates.ts';
import {
  type ReadRevocationList,
  revocationListsIn,
} from '../../infrastructure/pki/revocationListReader.ts';
import { treeKeyIn } from '../../infrastructure/pki/treeKeyCertificate.ts';
import { keepTreeKeyCertificate } from '../../infrastructure/postgres/auditTree.ts';
import { createPostgresCaCertificates } from '../../infrastructure/postgres/caCertificates.ts';
import { assertKnownSchema } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, inTransaction } from '../../infrastructure/postgres/pool.ts';
import {
  keepRevocationList,
  newestRevocationList,
} from '../../infrastructure/postgres/revocationLists.ts';
import { withPool } from './configChecks.ts';
import { openDatabase } from './stores.ts';
import { certified } from './keys.ts';
import {
  type CertifiedByRoot,
  certifiedByRoot,
  expectRootList,
  requestFile,
  rootListIn,
  subjectFor,
} from './offlineRoot.ts';

/** A request for a certificate of the root. */
export interface RootRequest {
  readonly name: CertifiedByRoot;
  /** Facts of the settings, and the request in PEM. */
  readonly file: string;
  /** SHA-256 of the public key, hexadecimal, to be compared where it is signed. */
  readonly keySha256: string;
}

/** Files that go to an offline root and come from it. */
export interface RootExchange {
  /** Requests for the keys in the vault, which are made where they are missing. */
  requests(): Promise<readonly RootRequest[]>;
  /**
   * Installs certificates and revocation lists of the root, all of them or none. Repeated it changes nothing.
   *
   * @param files their content, by name
   * @param rootSha256 SHA-256 of the root's certificate by the record of its ceremony; needed until one is installed
   * @returns a line for each thing installed
   * @throws Error that names the file whose content is not of this root, these keys and these settings, or whose list
   * lacks what the installed one revokes
   */
  install(
    files: ReadonlyMap<string, Buffer>,
    rootSha256: string | undefined,
  ): Promise<readonly string[]>;
}

type Keys = Readonly<Record<CertifiedByRoot, VaultKey>>;

/** One installation of files, within a transaction. */
interface Installation {
  readonly client: pg.PoolClient;
  readonly certificates: CaCertificates;
  readonly keys: Partial<Keys>;
  readonly rootSha256: string | undefined;
}

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
  const { databaseUrl, masterKeys, closeDatabase } = await openDatabase(config);
  const ecdsaDigests = createEcdsaDigestPool({ threads: 1 });
  try {
    return await withPool(databaseUrl, async (pool) => {
      if ((await assertKnownSchema(createDatabase(pool))).applied.length === 0) {
        throw new Error('The database is empty: run ./tamga migrate first.');
      }
      const { wrapping } = await readMasterKeys(pool, masterKeys);
      const { keyVault, stop } = openKeyVault(config, { pool, wrapping, ecdsaDigests });
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

function createRootExchange(config: Config, vault: KeyVault, pool: pg.Pool): RootExchange {
  const { operator, ...facts } = certified(config);
  const issuing = createCaIssuing({
    ...facts,
    operator,
    vault,
    clock: systemClock,
    randomness: systemRandomness,
  });
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

  async function installRoot(
    { certificates, rootSha256 }: Installation,
    der: Buffer,
  ): Promise<string> {
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

  function issuerOf(root: Buffer): CaIssuer {
    const rootKey = spkiOf(new X509Certificate(root));
    return issuing.issuerOf('root', root, rootKey, issuing.keyOf('root', rootKey));
  }

  async function installCa(
    { certificates }: Installation,
    name: 'personal' | 'organization',
    der: Buffer,
    root: Buffer,
  ): Promise<string> {
    const publicKey = spkiOf(new X509Certificate(der));
    issuing.issuerOf(name, der, publicKey, issuing.keyOf(name, publicKey, labels[name]));
    issuing.expectProfile(authorities[name], der, issuerOf(root));
    if (!(await certificates.keep(name, der)).equals(der)) {
      throw new Error(`${authorities[name].commonName} already has another certificate.`);
    }
    return `${authorities[name].commonName}, SHA-256 ${sha256Hex(der)}`;
  }

  async function installTreeKey(
    { client, keys }: Installation,
    der: Buffer,
    root: Buffer,
  ): Promise<string> {
    const publicKey = keys['audit-tree']?.publicKey;
    if (publicKey === undefined || treeKeyIn(der, root)?.equals(publicKey) !== true) {
      throw new Error('It certifies no key of this installation.');
    }
    issuing.expectProfile({ profile: treeKeyProfile, keyType: 'P-256' }, der, issuerOf(root));
    await keepTreeKeyCertificate(client, sha256Hex(publicKey), der);
    return `Key of the audit tree, SHA-256 ${sha256Hex(der)}`;
  }

  async function installCertificate(installation: Installation, der: Buffer): Promise<string> {
    const certificate = new X509Certificate(der);
    if (certificate.ca && certificate.verify(certificate.publicKey)) {
      return installRoot(installation, der);
    }
    const root = await rootOf(installation);
    const anchor = new X509Certificate(root);
    if (!certificate.checkIssued(anchor) || !certificate.verify(anchor.publicKey)) {
      throw new Error('It was not issued by the root that is installed.');
    }
    if (!certificate.ca) return installTreeKey(installation, der, root);
    const key = spkiOf(certificate);
    const name = names.find((each) => installation.keys[each]?.publicKey.equals(key));
    if (name !== undefined && name !== 'audit-tree')
      return installCa(installation, name, der, root);
    throw new Error('It certifies no key of this installation.');
  }

  /** Entries of a root's list stay while the root is valid: a list without one was made from an old copy of the root. */
  async function installList(
    installation: Installation,
    read: ReadRevocationList,
  ): Promise<string> {
    const { client } = installation;
    const { publicKey } = new X509Certificate(await rootOf(installation));
    const list = expectRootList(read, publicKey);
    const { number, nextUpdate } = list;
    const kept = await newestRevocationList(client, 'root');
    if (kept !== null && number > kept.number) {
      const lost = [...rootListIn(kept.der, publicKey).revoked.keys()].filter(
        (serial) => !list.revoked.has(serial),
      );
      if (lost.length > 0) {
        throw new Error(
          `The revocation list ${number} lacks what the installed one revokes, which would become good again: ${lost.join(', ')}. It was made from an old copy of the root: put the installed list (/crl/root) there as root.crl, and sign again.`,
        );
      }
    }
    const isNewer = await keepRevocationList(client, { ...list, authority: 'root' });
    return `Revocation list ${number} of the root, next at the latest ${nextUpdate.toISOString()}${isNewer ? '' : ' (no newer than the installed one, which stays)'}`;
  }

  async function rootOf({ certificates }: Installation): Promise<Buffer> {
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
        const request = await certificationRequest(
          vault,
          { label, type: 'P-256', publicKey },
          subjectFor(name, operator),
        );
        const { baseUrl, policyArc = DEFAULT_POLICY_ARC } = facts;
        const file = requestFile({ baseUrl, policyArc }, request);
        made.push({ name, file, keySha256: sha256Hex(publicKey) });
      }
      return made;
    },
    async install(files, rootSha256) {
      const keys = await keysOf();
      const inTurn = [...files].flatMap(contentOf);
      inTurn.sort((one, other) => one.order - other.order);
      return inTransaction(pool, async (client) => {
        const certificates = createPostgresCaCertificates(client);
        const installation = { client, certificates, keys, rootSha256 };
        const installed: string[] = [];
        for (const { file, der, list } of inTurn) {
          try {
            installed.push(
              list === null
                ? await installCertificate(installation, der)
                : await installList(installation, list),
            );
          } catch (cause) {
            throw new Error(`${file}: nothing was installed.`, { cause });
          }
        }
        // Certificates of the root show that operator and address are those of the settings.
        if ((await certificates.find('personal')) === null) {
          throw new Error(
            'Nothing was installed: give personal.pem with root.pem. A root cannot be replaced, and what it certified shows that it has these settings.',
          );
        }
        return installed;
      });
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
