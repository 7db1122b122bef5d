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
  type CaIssuer,
  caKeyLabel,
  caOf,
  createCaIssuing,
  DEFAULT_POLICY_ARC,
} from '../../infrastructure/pki/caIssuing.ts';
import {
  type CaKind,
  generationOf,
  type IssuingCa,
  issuingCas,
  kindOf,
} from '../../domain/shared/issuingCas.ts';
import { oid } from '../../infrastructure/pki/kernel/oids.ts';
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
import { lostAuthorities } from '../../infrastructure/postgres/lostRevocations.ts';
import {
  keepRevocationList,
  newestRevocationList,
} from '../../infrastructure/postgres/revocationLists.ts';
import { findProcesses, isOfRelease } from '../../infrastructure/postgres/releaseLevel.ts';
import { programVersion } from '../../infrastructure/version.ts';
import { withPool } from './configChecks.ts';
import { openDatabase } from './stores.ts';
import { certified } from './keys.ts';
import {
  type CertifiedByRoot,
  certifiedFirst,
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

/** A certificate that an online root signed. */
export interface InstalledByRoot {
  /** Line about it. */
  readonly installed: string;
}

/** Files that go to an offline root and come from it. */
export interface RootExchange {
  /** Requests for the keys in the vault, which are made where they are missing. */
  requests(): Promise<readonly RootRequest[]>;
  /**
   * Request for the generation of an issuing CA after the last one that is installed. Repeated it is for the same key.
   * Where the root's key is online, the Root CA signs the request at once, as for a first generation.
   *
   * @throws Error when the first one is not installed, there are all there can be, or processes of another
   * release run
   */
  requestNext(kind: CaKind): Promise<RootRequest | InstalledByRoot>;
  /**
   * Installs certificates and revocation lists of the root, all of them or none. Repeated it changes nothing.
   *
   * @param files their content, by name
   * @param rootSha256 SHA-256 of the root's certificate by the record of its ceremony; needed until one is installed
   * @returns a line for each thing installed
   * @throws Error that names the file whose content is not of this root, these keys and these settings, or whose list
   * lacks what the installed one revokes; or that of a next generation while processes of another
   * release run
   */
  install(
    files: ReadonlyMap<string, Buffer>,
    rootSha256: string | undefined,
  ): Promise<readonly string[]>;
}

type Keys = ReadonlyMap<CertifiedByRoot, VaultKey>;

/** One installation of files, within a transaction. */
interface Installation {
  readonly client: pg.PoolClient;
  readonly certificates: CaCertificates;
  readonly keys: Keys;
  readonly rootSha256: string | undefined;
  /** Reason why no next generation is installed now; null: none. */
  readonly notYet: string | null;
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
        throw new Error('The database is empty. Run ./tamga migrate first.');
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
  const labelOf = (name: CertifiedByRoot) =>
    name === 'audit-tree' ? TREE_KEY_LABEL : caKeyLabel(name, config.SVC_HSMPROXY_ORG_KEY_LABEL);
  /** An Organization CA whose certificate the operator supplies is requested from nobody. */
  const names = certifiedFirst.filter(
    (name) => name !== 'organization' || config.SVC_HSMPROXY_ORG_ISSUING_CERT === undefined,
  );

  /** Keys that a certificate may be for: those of the first generations, and those requested for later ones. */
  async function keysOf(): Promise<Keys> {
    const keys = new Map<CertifiedByRoot, VaultKey>();
    for (const name of names) keys.set(name, await vault.ensureKey(labelOf(name), 'P-256'));
    for (const name of issuingCas.filter((each) => generationOf(each) > 1)) {
      const key = await vault.findKey(labelOf(name));
      if (key !== null) keys.set(name, key);
    }
    return keys;
  }

  async function requestFor(name: CertifiedByRoot): Promise<RootRequest> {
    const label = labelOf(name);
    const { publicKey } = await vault.ensureKey(label, 'P-256');
    const request = await certificationRequest(
      vault,
      { label, type: 'P-256', publicKey },
      subjectFor(name, operator),
    );
    const { baseUrl, policyArc = DEFAULT_POLICY_ARC } = facts;
    const file = requestFile({ baseUrl, policyArc }, request);
    return { name, file, keySha256: sha256Hex(publicKey) };
  }

  async function installRoot(
    { certificates, rootSha256 }: Installation,
    der: Buffer,
  ): Promise<string> {
    const kept = await certificates.find('root');
    if (kept === null && rootSha256?.toLowerCase() !== sha256Hex(der)) {
      throw new Error(
        rootSha256 === undefined
          ? `Name the root that you trust: give --root-sha256 with the SHA-256 that the record of its ceremony states. The SHA-256 of the file is ${sha256Hex(der)}.`
          : `This is not the root that --root-sha256 names: its SHA-256 is ${sha256Hex(der)}.`,
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

  /** Reason why a next generation would issue what some process cannot decode; null: none. */
  async function whyNotYet(): Promise<string | null> {
    const processes = await findProcesses(createDatabase(pool));
    const others = processes.filter((each) => !isOfRelease(each, programVersion()));
    return others.length === 0
      ? null
      : `Processes of another release are running, which do not know the generations of this release: ${others.map(({ name }) => name).join(', ')}. Upgrade or stop them first.`;
  }

  async function installCa(
    { certificates, notYet }: Pick<Installation, 'certificates' | 'notYet'>,
    name: IssuingCa,
    der: Buffer,
    root: Buffer,
  ): Promise<string> {
    const { commonName } = caOf(name);
    const publicKey = spkiOf(new X509Certificate(der));
    const { certificate } = issuing.issuerOf(
      name,
      der,
      publicKey,
      issuing.keyOf(name, publicKey, labelOf(name)),
    );
    // Lists and OCSP requests name an issuer by its name, which no other generation may have.
    const named = certificate.subject.get(oid.commonName)?.[0]?.text;
    if (named !== commonName) {
      throw new Error(`It names ${named ?? 'nobody'}, but its key is that of ${commonName}.`);
    }
    issuing.expectProfile(caOf(name), der, issuerOf(root));
    const isNew = generationOf(name) > 1 && (await certificates.find(name)) === null;
    if (isNew && notYet !== null) throw new Error(notYet);
    if (!(await certificates.keep(name, der)).equals(der)) {
      throw new Error(`${commonName} already has another certificate.`);
    }
    return `${commonName}, SHA-256 ${sha256Hex(der)}`;
  }

  async function installTreeKey(
    { client, keys }: Installation,
    der: Buffer,
    root: Buffer,
  ): Promise<string> {
    const publicKey = keys.get('audit-tree')?.publicKey;
    if (publicKey === undefined || treeKeyIn(der, root)?.equals(publicKey) !== true) {
      throw new Error('Its key is not a key of this installation.');
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
      throw new Error('It was not issued by the installed root.');
    }
    if (!certificate.ca) return installTreeKey(installation, der, root);
    const key = spkiOf(certificate);
    for (const [name, { publicKey }] of installation.keys) {
      if (name === 'audit-tree' || !publicKey.equals(key)) continue;
      return installCa(installation, name, der, root);
    }
    throw new Error('Its key is not a key of this installation.');
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
          `The revocation list ${number} lacks certificates that the installed list revokes, which would become valid again: ${lost.join(', ')}. It was made from an old copy of the root. Put the installed list (/crl/root) there as root.crl, and sign again.`,
        );
      }
    }
    const isNewer = await keepRevocationList(client, { ...list, authority: 'root' });
    return `Revocation list ${number} of the root, next at the latest ${nextUpdate.toISOString()}${isNewer ? '' : ' (no newer than the installed one, which stays)'}`;
  }

  async function rootOf({ certificates }: Installation): Promise<Buffer> {
    const root = await certificates.find('root');
    if (root === null) throw new Error('There is no root yet. Give root.pem with the other files.');
    return root;
  }

  return {
    async requests() {
      const made: RootRequest[] = [];
      for (const name of names) made.push(await requestFor(name));
      return made;
    },
    async requestNext(kind) {
      const certificates = createPostgresCaCertificates(pool);
      const kept = await certificates.all();
      const generations = issuingCas.filter((name) => kindOf(name) === kind);
      const last = generations.findLastIndex((name) => kept.has(name));
      if (last < 0) {
        throw new Error(
          `${caOf(kind).commonName} is not installed yet. Request its first generation with ./tamga ceremony request.`,
        );
      }
      // A generation that a backup had not is another key's.
      const lost = await lostAuthorities(pool);
      const next = generations.slice(last + 1).find((name) => !lost.has(name));
      if (next === undefined) {
        throw new Error(`${caOf(kind).commonName} already has the largest number of generations.`);
      }
      const notYet = await whyNotYet();
      if (notYet !== null) throw new Error(notYet);
      const root = kept.get('root');
      if (root === undefined || (await vault.findKey(caKeyLabel('root'))) === null) {
        return requestFor(next);
      }
      const { publicKey } = await vault.ensureKey(labelOf(next), 'P-256');
      const key = issuing.keyOf(next, publicKey, labelOf(next));
      const der = await issuing.issueCa(next, publicKey, key, issuerOf(root));
      return { installed: await installCa({ certificates, notYet }, next, der, root) };
    },
    async install(files, rootSha256) {
      const keys = await keysOf();
      const inTurn = [...files].flatMap(contentOf);
      inTurn.sort((one, other) => one.order - other.order);
      const notYet = await whyNotYet();
      return inTransaction(pool, async (client) => {
        const certificates = createPostgresCaCertificates(client);
        const installation = { client, certificates, keys, rootSha256, notYet };
        const installed: string[] = [];
        for (const { file, der, list } of inTurn) {
          try {
            installed.push(
              list === null
                ? await installCertificate(installation, der)
                : await installList(installation, list),
            );
          } catch (cause) {
            throw new Error(`${file}. Nothing was installed.`, { cause });
          }
        }
        // Certificates of the root show that operator and address are those of the settings.
        if ((await certificates.find('personal')) === null) {
          throw new Error(
            'Nothing was installed. Give personal.pem with root.pem: it shows that the root has these settings, and a root cannot be replaced later.',
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
    throw new Error(`${file} contains neither certificates (PEM) nor a revocation list.`, {
      cause,
    });
  }
}
