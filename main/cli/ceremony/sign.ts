import { X509Certificate } from 'node:crypto';
import { constants } from 'node:fs';
import { access, copyFile, mkdir, readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  askedFor,
  type CertifiedByRoot,
  entriesOf,
  expectFactsOf,
  openRoot,
  type RevokedByRoot,
  type RootList,
  rootListIn,
  revocationOf,
  subjectFor,
} from '../../composition/offlineRoot.ts';
import { replaceFile, writeNewFile } from '../../../infrastructure/ceremony/privateFiles.ts';
import { readRootState, type RootState } from '../../../infrastructure/ceremony/rootState.ts';
import { pem } from '../../../domain/shared/pem.ts';
import { readCertificationRequest } from '../../../infrastructure/pki/certificationRequest.ts';
import { nameText } from '../../../infrastructure/pki/names.ts';
import { subjectText } from '../../../infrastructure/pki/parsedCertificate.ts';
import { readCertificates } from '../../../infrastructure/pki/readCertificates.ts';
import { systemClock } from '../../../infrastructure/system.ts';
import { say } from '../say.ts';
import { openByShares } from './custodians.ts';
import { type Artefact, openCeremony, sha256, writeRecord } from './record.ts';
import { openScript, type Script } from './script.ts';

export interface SignOptions {
  readonly dir: string;
  /** Directory for what goes back to the online side. */
  readonly to: string;
  readonly answers?: string;
  /** Certificates to revoke, PEM. */
  readonly revoke?: readonly string[];
  /** CRLReason of RFC 5280. */
  readonly reason: number;
  /** Of the revocation list. */
  readonly days: number;
}

interface Asked {
  readonly name: CertifiedByRoot;
  readonly publicKey: Buffer;
}

const MAX_DAYS = 366;
/** CRLReasons of RFC 5280 §5.3.1 that end an authority or its key for good. */
const reasons: ReadonlySet<number> = new Set([0, 1, 2, 3, 4, 5, 9, 10]);

/** Signs requests, revokes what is named, and makes the root's next revocation list; records it. */
export async function sign(requests: readonly string[], options: SignOptions): Promise<void> {
  refuseBadOptions(options);
  const { dir, to } = options;
  const state = await readRootState(dir);
  const last = await readLastList(dir, state);
  await prepareEmpty(to);
  const script = await openScript(options.answers);
  const attendance = await openCeremony(script);
  showState(script, state, last);
  const asked = await readRequests(script, requests, state);
  const revoked = await askRevocations(script, state, last, options);
  const key = await openByShares(script, state);
  try {
    const root = await openRoot(key, state, systemClock);
    const artefacts: Artefact[] = [
      { path: join(to, 'root.pem'), content: pem('CERTIFICATE', root.certificate) },
    ];
    for (const { name, publicKey } of asked) {
      const der = await root.certify(name, publicKey);
      const { validFrom, validTo } = new X509Certificate(der);
      script.tell(
        `Signed: ${subjectText(der)}, valid ${validFrom} to ${validTo}, SHA-256 ${sha256(der)}`,
      );
      artefacts.push({ path: join(to, `${name}.pem`), content: pem('CERTIFICATE', der) });
    }
    const list = await root.list(revoked, options.days, last);
    script.tell(
      `Revocation list ${list.number}: ${revoked.length} revoked, next at the latest ${list.nextUpdate.toISOString()}`,
    );
    artefacts.push({ path: join(to, 'root.crl'), content: list.der });
    await script.confirm('that this is handed out');
    script.end();
    // Numbered before it leaves: a list that is lost is not repeated with other content.
    await replaceFile(join(dir, 'root.crl'), list.der);
    for (const { path, content } of artefacts) await writeNewFile(path, content);
    const record = await writeRecord(dir, {
      what: 'the Root CA signed',
      attendance,
      script,
      artefacts,
      sign: (text) => root.signText(text),
    });
    for (const path of [record, `${record}.sig`]) await copyFile(path, join(to, basename(path)));
    say(`For the online side: ${to}. The record is ${record}, its signature beside it.`);
  } finally {
    await key.stop();
  }
}

function refuseBadOptions({ revoke = [], reason, days }: SignOptions): void {
  if (!Number.isInteger(days) || days < 1 || days > MAX_DAYS) {
    throw new Error(
      `--days must be a whole number from 1 to ${MAX_DAYS}: a revocation list of authorities is published at least once a year (EN 319 411-1).`,
    );
  }
  if (revoke.length > 0 && !reasons.has(reason)) {
    throw new Error('--reason must be a CRLReason of RFC 5280: 0 to 5, 9 or 10.');
  }
}

/** Makes the directory before a number is spent. @throws Error when it holds something or cannot be written to */
async function prepareEmpty(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  await access(directory, constants.W_OK);
  if ((await readdir(directory)).length === 0) return;
  throw new Error(`${directory} is not empty. Name a new directory with --to.`);
}

/**
 * Reads what the root revoked and how far it counted from its last list: that the root signed, unlike anything else in
 * the directory.
 *
 * @throws Error when it is missing, or another root's
 */
async function readLastList(dir: string, { certificate }: RootState): Promise<RootList> {
  const path = join(dir, 'root.crl');
  try {
    const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'));
    return rootListIn(await readFile(path), publicKey);
  } catch (cause) {
    throw new Error(
      `${path} is not the last list of this root. Use the list that was handed out last: otherwise revoked certificates would become valid again.`,
      { cause },
    );
  }
}

function showState(script: Script, state: RootState, last: RootList): void {
  script.tell(
    [
      `Root: ${subjectText(Buffer.from(state.certificate, 'base64'))}`,
      `  SHA-256   ${sha256(Buffer.from(state.certificate, 'base64'))}`,
      `  Last list ${last.number} of ${last.thisUpdate.toISOString()}, ${last.revoked.size} revoked`,
      '  It must be the one that was handed out last: ./tamga doctor shows its time.',
    ].join('\n'),
  );
}

async function readRequests(
  script: Script,
  paths: readonly string[],
  root: RootState,
): Promise<readonly Asked[]> {
  const asked: Asked[] = [];
  for (const path of paths) {
    const file = await readFile(path, 'utf8');
    const request = readCertificationRequest(file);
    const name = askedFor(request, root.operator);
    expectFactsOf(root, file);
    if (asked.some((other) => other.name === name)) {
      throw new Error(`${path}: another request for the same certificate was given.`);
    }
    script.tell(
      [
        `Request ${basename(path)}: ${nameText(subjectFor(name, root.operator))}`,
        `  Key, SHA-256 ${sha256(request.publicKey)}`,
        '  It must be the one that ./tamga ceremony request printed.',
      ].join('\n'),
    );
    await script.confirm(`the request ${name}`);
    asked.push({ name, publicKey: request.publicKey });
  }
  return asked;
}

async function askRevocations(
  script: Script,
  state: RootState,
  last: RootList,
  { revoke = [], reason }: SignOptions,
): Promise<readonly RevokedByRoot[]> {
  const revoked = [...entriesOf(last)];
  const root = Buffer.from(state.certificate, 'base64');
  for (const path of revoke) {
    for (const der of readCertificates(path)) {
      const certificate = new X509Certificate(der);
      const entry = revocationOf(certificate, root, { reason, now: systemClock.now() });
      if (revoked.some(({ serial }) => serial === entry.serial)) continue;
      script.tell(
        `To be revoked for good: ${subjectText(der)}, serial ${entry.serial}, reason ${reason}`,
      );
      await script.confirm(`the revocation of ${entry.serial}`);
      revoked.push(entry);
    }
  }
  return revoked;
}
