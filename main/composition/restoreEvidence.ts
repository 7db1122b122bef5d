import { open, readFile } from 'node:fs/promises';
import { describeExportFault } from '../../application/audit/exportFaults.ts';
import { isSignedHead } from '../../application/audit/signedHead.ts';
import { verifyExport } from '../../application/audit/verifyExport.ts';
import { applyRevocations } from '../../application/log/applyEvidence.ts';
import type { ShownRevocation } from '../../application/log/ports/evidence.ts';
import type { Finding, RestoredBackup } from '../../application/log/ports/restoredBackups.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import { eventBatches } from '../../application/ports/eventBatches.ts';
import type { IssuingAuthority } from '../../domain/certificate/events.ts';
import { eventLeafHash } from '../../domain/merkle/hashTree.ts';
import { createFrontier } from '../../domain/merkle/frontier.ts';
import { generationOf } from '../../domain/shared/issuingCas.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { keysBeside, proofsBeside, readExport } from '../../infrastructure/export/exportFile.ts';
import { laterEvents } from '../../infrastructure/export/laterEvents.ts';
import { openProofFile, parseHead } from '../../infrastructure/export/proofLines.ts';
import {
  type ReadRevocationList,
  revocationListsIn,
  serialText,
} from '../../infrastructure/pki/revocationListReader.ts';
import { treeKeysIn } from '../../infrastructure/pki/treeKeyCertificate.ts';
import {
  type CertificateDetails,
  readCertificate,
} from '../../infrastructure/pki/kernel/certificate.ts';
import {
  isOcspAnswer,
  type OcspStatement,
  readOcspStatements,
} from '../../infrastructure/pki/kernel/ocsp.ts';
import { issuerMismatch } from '../../infrastructure/pki/kernel/revocationList.ts';
import { createPostgresCaCertificates } from '../../infrastructure/postgres/caCertificates.ts';
import { createPostgresLostRevocations } from '../../infrastructure/postgres/lostRevocations.ts';
import { createPostgresRevocationLists } from '../../infrastructure/postgres/revocationLists.ts';
import { createCertificateStatuses } from '../../projections/certificates.ts';
import { certificatesReadModel } from '../../projections/models/certificates.ts';
import { CATCH_UP_MS } from './audit.ts';
import type { Core } from './core.ts';
import { type Repeating, sumUp } from './eventsAfterBackup.ts';

interface Issuer {
  readonly name: IssuingAuthority;
  readonly certificate: CertificateDetails;
}

/**
 * Reads evidence of what happened after a backup, and does again what can be done.
 *
 * @param path revocation lists (DER or PEM), an OCSP answer (DER), a head of the audit tree (JSON), or an exported log
 *   (`./tamga audit export`)
 * @returns what was found
 */
export type TakeEvidence = (
  path: string,
  restored: RestoredBackup,
  context: CommandContext,
) => Promise<readonly Finding[]>;

/** @param treeKeys that heads of the audit tree were signed with, SubjectPublicKeyInfo (DER) */
export function composeEvidence(
  core: Core,
  repeating: Repeating,
  treeKeys: () => Promise<readonly Buffer[]>,
): TakeEvidence {
  const { foundation, aggregates } = core;
  const { pool, database, clock, eventStore } = foundation;
  const progress = foundation.progressOf(certificatesReadModel);
  const lists = createPostgresRevocationLists(pool);
  const applying = {
    certificates: aggregates.certificates,
    devices: aggregates.devices,
    clock,
    statuses: createCertificateStatuses(database),
    lost: createPostgresLostRevocations(pool),
  };

  async function apply(shown: readonly ShownRevocation[], context: CommandContext) {
    const head = await eventStore.head();
    if (head !== null) await progress.untilProjected(head, CATCH_UP_MS);
    const installed = new Set((await issuers()).map(({ name }) => name));
    const isInstalled = (name: IssuingAuthority) =>
      name === 'root' || generationOf(name) === 1 || installed.has(name);
    return applyRevocations({ ...applying, isInstalled }, shown, context);
  }

  async function issuers(): Promise<readonly Issuer[]> {
    const kept = await createPostgresCaCertificates(pool).all();
    return Array.from(kept, ([name, der]) => ({ name, certificate: readCertificate(der) }));
  }

  async function takeList(
    path: string,
    list: ReadRevocationList,
    { madeAt }: RestoredBackup,
    context: CommandContext,
  ): Promise<readonly Finding[]> {
    const issuer = (await issuers()).find(
      ({ certificate }) => issuerMismatch(list, certificate) === null,
    );
    if (issuer === undefined) {
      throw new Error(`${path} is not signed by an authority of this installation.`);
    }
    const { name: authority } = issuer;
    const notAfter = new Date(issuer.certificate.notAfter);
    const shown = Array.from(list.revoked, ([serial, entry]) => ({
      serial,
      authority,
      notAfter,
      ...entry,
    }));
    const findings = await apply(shown, context);
    const { number, thisUpdate, nextUpdate, der } = list;
    // The next one is numbered and dated after it.
    if (number !== null) {
      await lists.keep({
        authority,
        number,
        thisUpdate,
        nextUpdate,
        der,
      });
    }
    const what = `revocation list ${number ?? 'without number'} of ${thisUpdate.toISOString()} (${authority})`;
    return [...findings, dated(what, thisUpdate, madeAt)];
  }

  /** Published statements are dated earlier than they were made, for readers whose clock is behind. */
  function dated(what: string, thisUpdate: Date, madeAt: Date): Finding {
    if (thisUpdate.getTime() + core.config.SVC_CLOCK_SLACK * 1000 >= madeAt.getTime()) {
      return { what, isApplied: true };
    }
    return { what: `the ${what} is older than the backup. Give a newer one`, isApplied: false };
  }

  async function takeOcspAnswer(
    path: string,
    der: Buffer,
    { madeAt }: RestoredBackup,
    context: CommandContext,
  ): Promise<readonly Finding[]> {
    for (const { name: authority, certificate } of await issuers()) {
      const statements = statementsOf(der, certificate);
      const [first] = statements;
      if (first === undefined) continue;
      const shown = statements.flatMap(({ serial, revocation }): readonly ShownRevocation[] =>
        revocation === null
          ? []
          : [
              {
                serial: serialText(serial),
                authority,
                notAfter: new Date(certificate.notAfter),
                reason: revocation.reason,
                revokedAt: new Date(revocation.revokedAt),
              },
            ],
      );
      const thisUpdate = new Date(first.thisUpdate);
      const what = `OCSP answer of ${thisUpdate.toISOString()} (${authority}) on ${statements.map(({ serial }) => serialText(serial)).join(', ')}`;
      return [...(await apply(shown, context)), dated(what, thisUpdate, madeAt)];
    }
    throw new Error(`${path} is not signed by an authority of this installation.`);
  }

  /** A head says how much was lost: it is over more events than the restored log has. */
  async function takeTreeHead(path: string, restored: RestoredBackup): Promise<readonly Finding[]> {
    const head = parseHead(await readFile(path, 'utf8'));
    // A key that was made after the backup is known by its certificate alone.
    const keys = [...(await treeKeys()), ...(await certifiedKeysBeside(path))];
    if (!keys.some((key) => isSignedHead(head, key))) {
      throw new Error(
        `${path} is not signed with a known key of this installation. Put the keys of that time (/audit/keys.pem) beside it, as ` +
          keysBeside(path),
      );
    }
    const { events, rootAt } = await restoredExtent(restored, head.size);
    const what = `head of the audit tree of ${head.timestamp.toISOString()} over ${head.size} events`;
    if (head.size > events) {
      return [{ what: `${head.size - events} events are lost: ${what}`, isApplied: false }];
    }
    if (rootAt?.equals(head.root) !== true) {
      throw new Error(`${path} does not belong to the restored log: its Merkle root differs.`);
    }
    return [{ what: `the ${what} is older than the backup. Give a newer one`, isApplied: false }];
  }

  async function requestOf(serial: string) {
    const { state } = await applying.certificates.load(serial);
    return state.status === 'NONE' ? null : state.requested;
  }

  async function takeExport(
    path: string,
    restored: RestoredBackup,
    context: CommandContext,
  ): Promise<readonly Finding[]> {
    await expectVerified(path);
    const events = laterEvents(path, await restoredExtent(restored));
    const later = await sumUp(events, { repeating, requestOf, clock });
    const findings = [...(await apply([...later.revocations.values()], context))];
    for (const { what, work } of later.repeated.values()) findings.push(await again(what, work));
    for (const what of later.undone) findings.push({ what, isApplied: false });
    for (const [type, count] of later.lost) {
      findings.push({ what: `${count} × ${type} is lost`, isApplied: false });
    }
    const what =
      later.upTo === null
        ? `export up to position ${restored.head ?? 'none'}, where the log ends: no event is lost`
        : `export up to position ${later.upTo}`;
    return [...findings, { what, isApplied: true }];
  }

  /** Keys of tree heads in the file beside, as far as the Root CA certified them. */
  async function certifiedKeysBeside(path: string): Promise<readonly Buffer[]> {
    const root = (await issuers()).find(({ name }) => name === 'root')?.certificate.der;
    const pem = await readFile(keysBeside(path), 'utf8').catch(() => '');
    return root === undefined ? [] : treeKeysIn(pem, root);
  }

  /** Requires a signed tree head over all lines: an export itself is not signed. @throws Error */
  async function expectVerified(path: string): Promise<void> {
    const proofs = await openProofFile(proofsBeside(path));
    const verdict = await verifyExport({
      lines: () => readExport(path),
      heads: proofs.heads,
      blocks: () => proofs.blocks(),
      knownHeads: [],
      trustedKeys: await certifiedKeysBeside(path),
      uncertifiedKeys: [],
    });
    if (verdict.ok) return;
    throw new Error(
      `${path} does not verify with the proofs and keys beside it: ${describeExportFault(verdict.fault)}`,
    );
  }

  /**
   * The restored log with its archive, of which the backup's own root covers the log alone.
   *
   * @param size number of events whose root is asked for, too; null there when the log is shorter
   */
  async function restoredExtent(restored: RestoredBackup, size = 0) {
    const tree = createFrontier();
    let rootAt = size === 0 ? tree.root() : null;
    for await (const event of eventsOf(restored)) {
      tree.append(eventLeafHash(event));
      if (tree.size === size) rootAt = tree.root();
    }
    return { events: tree.size, root: tree.root().toString('base64'), rootAt };
  }

  async function* eventsOf({ head }: RestoredBackup) {
    if (head === null) return;
    for await (const events of eventBatches(foundation.eventLog, null, { upTo: head }))
      yield* events;
  }

  return async (path, restored, context) => {
    const beginning = await beginningOf(path);
    if (beginning.startsWith('{"position":"')) return takeExport(path, restored, context);
    if (beginning.startsWith('{')) return takeTreeHead(path, restored);
    const file = await readFile(path);
    if (isOcspAnswer(file)) return takeOcspAnswer(path, file, restored, context);
    const findings: Finding[] = [];
    for (const list of revocationListsIn(file)) {
      findings.push(...(await takeList(path, list, restored, context)));
    }
    return findings;
  };
}

/** Does a thing again; what came into being after the backup is not there. */
async function again(what: string, work: () => Promise<unknown>): Promise<Finding> {
  try {
    await work();
    return { what, isApplied: true };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { what: `${what}: ${error.code} here`, isApplied: isRefusal(error, 'CONFLICT') };
  }
}

/** Nothing where it is none of this issuer's: signed by it, or by a responder that it appointed. */
function statementsOf(der: Buffer, issuer: CertificateDetails): readonly OcspStatement[] {
  try {
    return readOcspStatements(der, issuer);
  } catch {
    return [];
  }
}

/** An export may be as long as the log: it is not read whole. */
async function beginningOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(13), 0, 13, 0);
    return buffer.toString('latin1', 0, bytesRead);
  } finally {
    await file.close();
  }
}
