import { X509Certificate } from 'node:crypto';
import { open, readFile } from 'node:fs/promises';
import { applyRevocations } from '../application/log/applyEvidence.ts';
import type { ShownRevocation } from '../application/log/ports/evidence.ts';
import type { Finding, RestoredBackup } from '../application/log/ports/restoredBackups.ts';
import type { CommandContext } from '../application/handleCommand.ts';
import type { IssuingAuthority } from '../domain/certificate/events.ts';
import { isRefusal, Refusal } from '../domain/shared/refusal.ts';
import { laterEvents } from '../infrastructure/export/laterEvents.ts';
import {
  type ReadRevocationList,
  revocationListsIn,
} from '../infrastructure/pki/revocationListReader.ts';
import { isSignedBy, signatureScheme } from '../infrastructure/pki/statedSignature.ts';
import { createPostgresCaCertificates } from '../infrastructure/postgres/caCertificates.ts';
import { createPostgresLostRevocations } from '../infrastructure/postgres/lostRevocations.ts';
import { createPostgresRevocationLists } from '../infrastructure/postgres/revocationLists.ts';
import { createCertificateStatuses } from '../projections/certificates.ts';
import { certificatesReadModel } from '../projections/models/certificates.ts';
import type { Core } from './core.ts';

/** Commands done again for events of an export; each takes the id the events name. */
export interface Repeating {
  deactivateDevice(documentNumber: string, reason: number): Promise<void>;
  rotateSecret(relyingPartyId: string): Promise<unknown>;
  deactivateRelyingParty(relyingPartyId: string): Promise<void>;
  rotateClientSecret(clientId: string): Promise<unknown>;
  deactivateOperator(operatorId: string): Promise<unknown>;
  forgetPerson(civilId: string): Promise<unknown>;
}

interface Issuer {
  readonly name: IssuingAuthority;
  readonly certificate: X509Certificate;
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
    if (head !== null) await progress.untilProjected(head);
    return applyRevocations(applying, shown, context);
  }

  async function issuers(): Promise<readonly Issuer[]> {
    const certificates = createPostgresCaCertificates(pool);
    const found = await Promise.all(
      issuerNames.map(async (name) => ({ name, der: await certificates.find(name) })),
    );
    return found.flatMap(({ name, der }) =>
      der === null ? [] : [{ name, certificate: new X509Certificate(der) }],
    );
  }

  async function takeList(
    path: string,
    list: ReadRevocationList,
    { madeAt }: RestoredBackup,
    context: CommandContext,
  ): Promise<readonly Finding[]> {
    const { signed, signature, algorithm } = list.signature;
    const scheme = signatureScheme(algorithm, null);
    const issuer = (await issuers()).find(
      ({ certificate: { publicKey } }) =>
        scheme !== null && isSignedBy(publicKey, scheme, signed, signature),
    );
    if (issuer === undefined) {
      throw new Error(`${path} is signed by no authority of this installation.`);
    }
    const { name: authority } = issuer;
    const notAfter = new Date(issuer.certificate.validTo);
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
        nextUpdate: nextUpdate ?? thisUpdate,
        der,
      });
    }
    if (thisUpdate >= madeAt) return findings;
    const what = `the revocation list of ${thisUpdate.toISOString()} (${authority}) is older than the backup: give a newer one`;
    return [...findings, { what, isApplied: false }];
  }

  async function takeExport(
    path: string,
    restored: RestoredBackup,
    context: CommandContext,
  ): Promise<readonly Finding[]> {
    const later = await summed(path, restored);
    const findings = [...(await apply([...later.revocations.values()], context))];
    for (const { what, work } of later.repeated.values()) findings.push(await again(what, work));
    for (const [type, count] of later.lost) {
      findings.push({ what: `${count} × ${type} is lost`, isApplied: false });
    }
    return findings;
  }

  /** Sums up what the events after the backup say, each thing once. */
  async function summed(path: string, restored: RestoredBackup) {
    const issued = new Map<string, Pick<ShownRevocation, 'authority' | 'notAfter'>>();
    const revocations = new Map<string, ShownRevocation>();
    const repeated = new Map<string, { what: string; work: () => Promise<unknown> }>();
    const lost = new Map<string, number>();
    for await (const { type, data: text } of laterEvents(path, restored)) {
      const data = JSON.parse(text) as Readonly<Record<string, unknown>>;
      const named = (name: string) => String(data[name]);
      const serial = named('serial');
      const revoke = (reason: number, at: string) => {
        const known = issued.get(serial) ?? halfIssued;
        revocations.set(serial, { serial, ...known, reason, revokedAt: new Date(at) });
      };
      const repeat = (what: string, work: () => Promise<unknown>) =>
        repeated.set(what, { what, work });
      switch (type) {
        case 'CertificateRequested':
          issued.set(serial, {
            authority: named('authority') as IssuingAuthority,
            notAfter: new Date(named('notAfter')),
          });
          count(lost, type);
          break;
        case 'CertificateRevoked':
          revoke(Number(data['reason']), named('revokedAt'));
          break;
        case 'CertificateSuspended':
          revoke(6, named('suspendedAt'));
          break;
        case 'CertificateReinstated':
          revocations.delete(serial);
          break;
        case 'DeviceDeactivated':
          repeat(`phone ${named('documentNumber')} deactivated`, () =>
            repeating.deactivateDevice(named('documentNumber'), Number(data['reason'])),
          );
          break;
        case 'SecretRotated':
          repeat(
            `secret of relying party ${named('relyingPartyId')} rotated: neither works, give it a new one`,
            () => repeating.rotateSecret(named('relyingPartyId')),
          );
          break;
        case 'RelyingPartyDeactivated':
          repeat(`relying party ${named('relyingPartyId')} deactivated`, () =>
            repeating.deactivateRelyingParty(named('relyingPartyId')),
          );
          break;
        case 'OidcClientSecretRotated':
          repeat(
            `secret of client ${named('clientId')} rotated: neither works, give it a new one`,
            () => repeating.rotateClientSecret(named('clientId')),
          );
          break;
        case 'OperatorDeactivated':
          repeat(`operator ${named('operatorId')} deactivated`, () =>
            repeating.deactivateOperator(named('operatorId')),
          );
          break;
        case 'PersonForgotten':
          repeat(`person of civil id ${named('civilId')} forgotten`, () =>
            repeating.forgetPerson(named('civilId')),
          );
          break;
        default:
          count(lost, type);
      }
    }
    return { revocations, repeated, lost };
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
