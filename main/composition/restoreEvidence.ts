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
import { revocationReasons } from '../../domain/shared/revocationReason.ts';
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

/** Commands done again for events of an export; each takes the id the events name. */
export interface Repeating {
  deactivateDevice(documentNumber: string, reason: number): Promise<void>;
  rotateSecret(relyingPartyId: string): Promise<unknown>;
  deactivateRelyingParty(relyingPartyId: string): Promise<void>;
  rotateClientSecret(clientId: string): Promise<unknown>;
  deactivateClient(clientId: string): Promise<unknown>;
  deactivateOperator(operatorId: string): Promise<unknown>;
  forgetPerson(civilId: string): Promise<unknown>;
}

/** Events after which something no longer holds, and that no command here repeats by itself. */
const ending: ReadonlySet<string> = new Set([
  'ApprovalRejected',
  'ConsentWithdrawn',
  'EnrolmentsBlocked',
  'OperatorRoleChanged',
  'OrganizationRevoked',
  'OrganizationSuspended',
  'PasswordChanged',
  'RightWithdrawn',
  'SealingWithdrawn',
  'SecondFactorReset',
]);

/** A command that does again what an event says. */
interface Repetition {
  readonly what: string;
  readonly work: () => Promise<unknown>;
}

type EventData = Readonly<Record<string, unknown>>;

/** Maps types of events to the command that does the same again. */
function repetitions(
  by: Repeating,
): Readonly<Partial<Record<string, (data: EventData) => Repetition>>> {
  const doing =
    (
      name: string,
      what: (id: string) => string,
      work: (id: string, data: EventData) => Promise<unknown>,
    ) =>
    (data: EventData): Repetition => {
      const id = String(data[name]);
      return { what: what(id), work: () => work(id, data) };
    };
  const giveNew = 'rotated: neither works, give it a new one';
  return {
    DeviceDeactivated: doing(
      'documentNumber',
      (id) => `phone ${id} deactivated`,
      (id, { reason }) => by.deactivateDevice(id, Number(reason)),
    ),
    SecretRotated: doing(
      'relyingPartyId',
      (id) => `secret of relying party ${id} ${giveNew}`,
      (id) => by.rotateSecret(id),
    ),
    RelyingPartyDeactivated: doing(
      'relyingPartyId',
      (id) => `relying party ${id} deactivated`,
      (id) => by.deactivateRelyingParty(id),
    ),
    OidcClientSecretRotated: doing(
      'clientId',
      (id) => `secret of client ${id} ${giveNew}`,
      (id) => by.rotateClientSecret(id),
    ),
    OidcClientDeactivated: doing(
      'clientId',
      (id) => `client ${id} deactivated`,
      (id) => by.deactivateClient(id),
    ),
    OperatorDeactivated: doing(
      'operatorId',
      (id) => `operator ${id} deactivated`,
      (id) => by.deactivateOperator(id),
    ),
    PersonForgotten: doing(
      'civilId',
      (id) => `person of civil id ${id} forgotten`,
      (id) => by.forgetPerson(id),
    ),
  };
}

interface Issuer {
  readonly name: IssuingAuthority;
  readonly certificate: CertificateDetails;
}

/** Of a certificate that was requested before the backup and issued after it; later than any ends. */
const halfIssued = { authority: 'personal', notAfter: new Date('2100-01-01') } as const;

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
    const later = await summed(path, restored);
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

  /** Sums up what the events after the backup say, each thing once. */
  async function summed(path: string, restored: RestoredBackup) {
    const issued = new Map<string, Pick<ShownRevocation, 'authority' | 'notAfter'>>();
    const revocations = new Map<string, ShownRevocation>();
    const repeated = new Map<string, Repetition>();
    const commands = repetitions(repeating);
    const undone = new Set<string>();
    const lost = new Map<string, number>();
    let upTo: bigint | null = null;
    for await (const event of laterEvents(path, await restoredExtent(restored))) {
      const { type, stream, data: text } = event;
      upTo = event.position;
      const data = JSON.parse(text) as Readonly<Record<string, unknown>>;
      const named = (name: string) => String(data[name]);
      const serial = named('serial');
      const revoke = (reason: number, at: string | Date) => {
        const known = issued.get(serial) ?? halfIssued;
        revocations.set(serial, { serial, ...known, reason, revokedAt: new Date(at) });
      };
      switch (type) {
        case 'CertificateRequested':
          issued.set(serial, {
            authority: named('authority') as IssuingAuthority,
            notAfter: new Date(named('notAfter')),
          });
          // Nobody could revoke it here any more; its holder is given another one.
          if (isOfHolder(data)) revoke(revocationReasons.cessationOfOperation, clock.now());
          count(lost, type);
          break;
        case 'CertificateRevoked':
          revoke(Number(data['reason']), named('revokedAt'));
          break;
        case 'CertificateSuspended':
          if (!issued.has(serial)) revoke(revocationReasons.certificateHold, named('suspendedAt'));
          break;
        case 'CertificateReinstated':
          if (issued.has(serial)) revoke(revocationReasons.cessationOfOperation, clock.now());
          else revocations.delete(serial);
          break;
        default: {
          const again = commands[type]?.(data);
          if (again !== undefined) repeated.set(again.what, again);
          else if (ending.has(type)) undone.add(`${type} of ${stream} is lost: do it again`);
          else count(lost, type);
        }
      }
    }
    return { revocations, repeated, undone, lost, upTo };
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

/** False for a certificate of the platform itself. */
function isOfHolder({ holder }: Readonly<Record<string, unknown>>): boolean {
  return (holder as { readonly kind?: unknown }).kind !== 'service';
}

function count(counts: Map<string, number>, type: string): void {
  counts.set(type, (counts.get(type) ?? 0) + 1);
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
