import {
  createPrivateKey,
  createPublicKey,
  type KeyObject,
  randomBytes,
  X509Certificate,
} from 'node:crypto';
import { mkdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  certifyRoot,
  entriesOf,
  openRoot,
  type RootList,
  rootListIn,
} from '../../composition/offlineRoot.ts';
import { writeNewFile } from '../../../infrastructure/ceremony/privateFiles.ts';
import {
  type OpenRootKey,
  openSoftwareKey,
  openTokenKey,
  type RootKey,
  rootKeyLabel,
  type RootState,
  encryptPin,
  writeRootState,
} from '../../../infrastructure/ceremony/rootState.ts';
import type { EncryptedKey } from '../../../infrastructure/hsm/encryptedKeys.ts';
import { wrappingKeyOf } from '../../../infrastructure/codec/wrappingKeys.ts';
import { encryptSoftwareKey } from '../../../infrastructure/hsm/softwareKeyVault.ts';
import { pem } from '../../../domain/shared/pem.ts';
import { subjectText } from '../../../infrastructure/pki/parsedCertificate.ts';
import { readCertificates } from '../../../infrastructure/pki/readCertificates.ts';
import { systemClock } from '../../../infrastructure/system.ts';
import { say } from '../say.ts';
import { askCustodians, handOutShares } from './custodians.ts';
import { openCeremony, sha256, writeRecord } from './record.ts';
import { openScript, type Script } from './script.ts';

export interface RootOptions {
  /** Directory of the root, on the medium that is locked away. */
  readonly dir: string;
  readonly answers?: string;
}

/** Days that the root's revocation list is valid (EN 319 411-1 §6.3.9: at least one a year). */
const LIST_DAYS = 180;

/** A key that was made or found, and what is kept of it. */
interface MadeKey {
  readonly open: OpenRootKey;
  /** Content to keep, once the key exists. */
  readonly kept: () => RootKey;
  /** DER; null: to be made. */
  readonly certificate: Buffer | null;
  /** The last one of a key that was taken over. */
  readonly list: RootList | null;
}

/** Makes or takes over the root, shares what opens it among custodians, and records it. */
export async function makeRoot({ dir, answers }: RootOptions): Promise<void> {
  await refuseExisting(dir);
  const script = await openScript(answers);
  const attendance = await openCeremony(script);
  const facts = await askFacts(script);
  const secret = randomBytes(32);
  const made = await askKey(script, secret);
  try {
    const custodians = await askCustodians(script);
    const der = made.certificate ?? (await certifyRoot(made.open, facts, systemClock));
    await showRoot(script, der);
    const kept = made.kept();
    const of = sha256(new X509Certificate(der).publicKey.export({ type: 'spki', format: 'der' }));
    const shared = await handOutShares(
      script,
      secret,
      { ...custodians, of: of.slice(0, 16) },
      kept,
    );
    const state: RootState = {
      format: 1,
      ...facts,
      certificate: der.toString('base64'),
      key: kept,
      shared: { ...shared, custodians: [...shared.custodians] },
    };
    const root = await openRoot(made.open, state, systemClock);
    const list = await root.list(
      made.list === null ? [] : entriesOf(made.list),
      LIST_DAYS,
      made.list,
    );
    await script.confirm('that the root is to be kept');
    script.end();
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const artefacts = [
      { path: join(dir, 'root.pem'), content: pem('CERTIFICATE', der) },
      { path: join(dir, 'root.crl'), content: list.der },
    ];
    for (const { path, content } of artefacts) await writeNewFile(path, content);
    await writeRootState(dir, state);
    const record = await writeRecord(dir, {
      what: 'the Root CA was made',
      attendance,
      script,
      artefacts,
      sign: (text) => root.signText(text),
    });
    say(`The root is in ${dir}, the record ${record} with its signature beside it.`);
    say(`SHA-256 of root.pem's certificate, for the public: ${sha256(der)}`);
  } finally {
    secret.fill(0);
    await made.open.stop();
  }
}

async function refuseExisting(dir: string): Promise<void> {
  for (const name of ['root.json', 'root.pem']) {
    const found = await stat(join(dir, name)).catch(() => null);
    if (found !== null)
      throw new Error(`${dir} already contains a root (${name}). Name another directory.`);
  }
}

async function askFacts(
  script: Script,
): Promise<Pick<RootState, 'operator' | 'policyArc' | 'baseUrl'>> {
  const name = await script.ask('Operator name');
  const etsi = await script.ask('Operator number');
  const policyArc = await script.ask('Policy arc');
  const baseUrl = await script.ask('Address of the PKI');
  if (name === '' || !/^NTR[A-Z]{2}-.+$/.test(etsi)) {
    throw new Error('The operator needs a name and a number such as NTRMN-1234567.');
  }
  if (!/^\d+(\.\d+)+$/.test(policyArc) || !/^http:\/\/[^/].*[^/]$/.test(baseUrl)) {
    throw new Error(
      'Write the policy arc with dots, such as 1.3.6.1.4.1.99999.1. Begin the address with http:// and end it without a slash.',
    );
  }
  script.tell(
    [
      'These four values are part of every certificate and cannot be changed later. They must equal those of the online side:',
      `  SVC_PKI_OPERATOR_NAME  ${name}`,
      `  SVC_PKI_OPERATOR_ETSI  ${etsi}`,
      `  SVC_PKI_POLICY_ARC     ${policyArc}`,
      `  SVC_PKI_BASE           ${baseUrl}`,
    ].join('\n'),
  );
  await script.confirm('the operator');
  // Country as in the settings' certificates.
  return { operator: { name, etsi, country: 'MN' }, policyArc, baseUrl };
}

const ways: Readonly<Record<string, (script: Script, secret: Buffer) => Promise<MadeKey>>> = {
  generate: (_, secret) => Promise.resolve(softwareKey(secret, null)),
  import: importedKey,
  token: tokenKey,
};

async function askKey(script: Script, secret: Buffer): Promise<MadeKey> {
  const kind = await script.ask('Root key (generate, import or token)');
  const way = ways[kind];
  if (way === undefined) throw new Error('The root key must be one of: generate, import, token.');
  return way(script, secret);
}

function softwareKey(
  secret: Buffer,
  imported: EncryptedKey | null,
  known: Pick<MadeKey, 'certificate' | 'list'> = { certificate: null, list: null },
): MadeKey {
  let made = imported;
  const open = openSoftwareKey(secret, imported, (key) => (made = key));
  return {
    open,
    ...known,
    kept() {
      if (made === null) throw new Error('There is no key yet.');
      const { publicKey, encrypted } = made;
      return {
        kind: 'software',
        publicKey: publicKey.toString('base64'),
        sealed: encrypted.toString('base64'),
      };
    },
  };
}

async function importedKey(script: Script, secret: Buffer): Promise<MadeKey> {
  const key = await readPrivateKey(
    await script.ask('Key file (PEM)'),
    await script.ask('File with its passphrase (empty: none)'),
  );
  if (key.asymmetricKeyDetails?.namedCurve !== 'secp384r1') {
    throw new Error('The root key must be an elliptic-curve key on P-384.');
  }
  const certificate = await script.ask('Certificate file (empty: make one)');
  const known = {
    certificate: certificate === '' ? null : selfSigned(certificate),
    list: await lastList(script, createPublicKey(key)),
  };
  return softwareKey(
    secret,
    encryptSoftwareKey(wrappingKeyOf(secret, 0), rootKeyLabel, 'P-384', key),
    known,
  );
}

/** Reads the last list of a key that was taken over: its entries stay, and its numbers go on. */
async function lastList(script: Script, key: KeyObject): Promise<RootList | null> {
  const path = await script.ask('Its last revocation list (empty: it made none)');
  if (path === '') return null;
  const list = rootListIn(await readFile(path), key);
  script.tell(`Its last list: ${list.number}, ${list.revoked.size} revoked.`);
  return list;
}

async function readPrivateKey(path: string, passphraseFile: string): Promise<KeyObject> {
  const key = await readFile(path);
  const passphrase =
    passphraseFile === '' ? undefined : (await readFile(passphraseFile, 'utf8')).trimEnd();
  try {
    return createPrivateKey({ key, ...(passphrase !== undefined && { passphrase }) });
  } catch {
    throw new Error(`${path} contains no private key in PEM, or the passphrase is wrong.`);
  } finally {
    key.fill(0);
  }
}

const publicKeyOf = (spki: Buffer) => createPublicKey({ key: spki, format: 'der', type: 'spki' });

function selfSigned(path: string): Buffer {
  const [der] = readCertificates(path);
  const certificate = der && new X509Certificate(der);
  if (certificate?.ca === true && certificate.verify(certificate.publicKey)) return certificate.raw;
  throw new Error(
    `${path} does not contain the certificate of a root, which is a self-signed certificate of an authority.`,
  );
}

async function tokenKey(script: Script, secret: Buffer): Promise<MadeKey> {
  const module = await script.ask('PKCS#11 module');
  const token = await script.ask('Token');
  const pin = (await readFile(await script.ask('File with the PIN'), 'utf8')).trim();
  const open = openTokenKey(module, token, pin);
  try {
    const found = await open.vault.findKey(rootKeyLabel);
    script.tell(
      found === null
        ? `The key ${rootKeyLabel} is generated in the token.`
        : `The token already has the key ${rootKeyLabel}, which is used.`,
    );
    const list = found && (await lastList(script, publicKeyOf(found.publicKey)));
    const kept = { kind: 'token', module, token, pin: encryptPin(token, pin, secret) } as const;
    return { open, certificate: null, list, kept: () => kept };
  } catch (error) {
    await open.stop();
    throw error;
  }
}

async function showRoot(script: Script, der: Buffer): Promise<void> {
  const { validFrom, validTo, publicKey } = new X509Certificate(der);
  script.tell(
    [
      'The certificate of the root:',
      `  Name         ${subjectText(der)}`,
      `  Valid        ${validFrom} to ${validTo}`,
      `  SHA-256      ${sha256(der)}`,
      `  Key, SHA-256 ${sha256(publicKey.export({ type: 'spki', format: 'der' }))}`,
    ].join('\n'),
  );
  await script.confirm('the root certificate');
}
