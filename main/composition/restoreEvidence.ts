import { open, readFile } from 'node:fs/promises';
import { describeExportFault } from '../../application/audit/exportFaults.ts';
import { verifyExport } from '../../application/audit/verifyExport.ts';
import { applyRevocations } from '../../application/log/applyEvidence.ts';
import type { ShownRevocation } from '../../application/log/ports/evidence.ts';
import type { Finding, RestoredBackup } from '../../application/log/ports/restoredBackups.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import { eventBatches } from '../../application/ports/eventBatches.ts';
import type { IssuingAuthority } from '../../domain/certificate/events.ts';
import { eventLeafHash } from '../../domain/merkle/hashTree.ts';
import { createFrontier } from '../../domain/merkle/frontier.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { keysBeside, proofsBeside, readExport } from '../../infrastructure/export/exportFile.ts';
import { laterEvents } from '../../infrastructure/export/laterEvents.ts';
import { openProofFile } from '../../infrastructure/export/proofLines.ts';
import {
  type ReadRevocationList,
  revocationListsIn,
} from '../../infrastructure/pki/revocationListReader.ts';
import { treeKeysIn } from '../../infrastructure/pki/treeKeyCertificate.ts';
import {
  type CertificateDetails,
  readCertificate,
} from '../../infrastructure/pki/kernel/certificate.ts';
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

const issuerNames: readonly IssuingAuthority[] = ['personal', 'organization', 'root'];

/**
 * Reads evidence of what happened after a backup, and does again what can be done.
 *
 * @param path revocation lists (DER or PEM), or an exported log (`./tamga audit export`)
 * @returns what was found
 */
export type TakeEvidence = (
  path: string,
  restored: RestoredBackup,
  context: CommandContext,
) => Promise<readonly Finding[]>;

export function composeEvidence(core: Core, repeating: Repeating): TakeEvidence {
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
    return applyRevocations(applying, shown, context);
  }

  async function issuers(): Promise<readonly Issuer[]> {
    const certificates = createPostgresCaCertificates(pool);
    const found = await Promise.all(
      issuerNames.map(async (name) => ({ name, der: await certificates.find(name) })),
    );
    return found.flatMap(({ name, der }) =>
      der === null ? [] : [{ name, certificate: readCertificate(der) }],
    );
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
      throw new Error(`${path} is signed by no authority of this installation.`);
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
    // Dated earlier than it was made, for readers whose clock is behind.
    if (thisUpdate.getTime() + core.config.SVC_CLOCK_SLACK * 1000 >= madeAt.getTime()) {
      const what = `revocation list ${number ?? 'without number'} of ${thisUpdate.toISOString()} (${authority})`;
      return [...findings, { what, isApplied: true }];
    }
    const what = `the revocation list of ${thisUpdate.toISOString()} (${authority}) is older than the backup: give a newer one`;
    return [...findings, { what, isApplied: false }];
  }

  async function takeExport(
    path: string,
    restored: RestoredBackup,
    context: CommandContext,
  ): Promise<readonly Finding[]> {
    await expectVerified(path);
    const later = await sumUp(laterEvents(path, await restoredExtent(restored)), repeating, clock);
    const findings = [...(await apply([...later.revocations.values()], context))];
    for (const { what, work } of later.repeated.values()) findings.push(await again(what, work));
    for (const what of later.undone) findings.push({ what, isApplied: false });
    for (const [type, count] of later.lost) {
      findings.push({ what: `${count} × ${type} is lost`, isApplied: false });
    }
    const what = `export up to position ${later.upTo ?? restored.head ?? 'none'}`;
    return [...findings, { what, isApplied: true }];
  }

  /** Requires a signed tree head over all lines: an export itself is not signed. @throws Error */
  async function expectVerified(path: string): Promise<void> {
    const root = (await issuers()).find(({ name }) => name === 'root')?.certificate.der;
    const pem = await readFile(keysBeside(path), 'utf8');
    const proofs = await openProofFile(proofsBeside(path));
    const verdict = await verifyExport({
      lines: () => readExport(path),
      heads: proofs.heads,
      blocks: () => proofs.blocks(),
      knownHeads: [],
      trustedKeys: root === undefined ? [] : treeKeysIn(pem, root),
      uncertifiedKeys: [],
    });
    if (verdict.ok) return;
    throw new Error(
      `${path} is not verified with its proofs and keys beside it: ${describeExportFault(verdict.fault)}`,
    );
  }

  /** The restored log with its archive, of which the backup's own root covers the log alone. */
  async function restoredExtent({ head }: RestoredBackup) {
    const tree = createFrontier();
    if (head !== null) {
      for await (const events of eventBatches(foundation.eventLog, null, { upTo: head })) {
        for (const event of events) tree.append(eventLeafHash(event));
      }
    }
    return { events: tree.size, root: tree.root().toString('base64') };
  }

  return async (path, restored, context) => {
    if (await isExport(path)) return takeExport(path, restored, context);
    const findings: Finding[] = [];
    for (const list of revocationListsIn(await readFile(path))) {
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

async function isExport(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(13), 0, 13, 0);
    return buffer.toString('utf8', 0, bytesRead) === '{"position":"';
  } finally {
    await file.close();
  }
}
