import type { IssuingAuthority } from '../../domain/certificate/events.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { revocationReasons } from '../../domain/shared/revocationReason.ts';
import type {
  CertificateStatus,
  CertificateStatuses,
} from '../certificate/ports/certificateStatuses.ts';
import { type EndDeviceDependencies, revokeCertificate } from '../certificate/revocation.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { LostRevocations, ShownRevocation } from './ports/evidence.ts';
import type { Finding } from './ports/restoredBackups.ts';

export interface ApplyRevocationsDependencies extends EndDeviceDependencies {
  /** Of the restored log, current. */
  readonly statuses: CertificateStatuses;
  readonly lost: LostRevocations;
  /** False: its certificate is not in the restored database, so that nothing can be published for it. */
  readonly isInstalled: (authority: IssuingAuthority) => boolean;
}

/** Certificates looked up at once. */
const AT_ONCE = 1000;

/**
 * Revokes what evidence shows as revoked and the restored log does not, with the reason and the date of then: those that
 * were issued after the backup, too, which the log does not know. Idempotent.
 *
 * @returns what was done
 */
export async function applyRevocations(
  dependencies: ApplyRevocationsDependencies,
  shown: readonly ShownRevocation[],
  context: CommandContext,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  for (let at = 0; at < shown.length; at += AT_ONCE) {
    const some = shown.slice(at, at + AT_ONCE);
    const found = await dependencies.statuses.statuses(some.map(({ serial }) => serial));
    const known = new Map(found.map((status) => [status.serial, status]));
    for (const revocation of some) {
      const status = known.get(revocation.serial);
      if (status !== undefined && 'unavailable' in status) throw status.unavailable;
      const finding = await applyOne(dependencies, revocation, status, context);
      if (finding !== null) findings.push(finding);
    }
  }
  const authorities = new Set(shown.map(({ authority }) => authority));
  const missing = [...authorities].filter((authority) => !dependencies.isInstalled(authority));
  return [...findings, ...missing.map(notInstalled)];
}

const notInstalled = (authority: IssuingAuthority): Finding => ({
  what: `nobody publishes the revocations of ${authority}: install its certificate (./tamga ceremony install), or have the root revoke it`,
  isApplied: false,
});

async function applyOne(
  dependencies: ApplyRevocationsDependencies,
  revocation: ShownRevocation,
  status: CertificateStatus | undefined,
  context: CommandContext,
): Promise<Finding | null> {
  const { serial, authority, reason, revokedAt } = revocation;
  const what = `certificate ${serial} (${authority}), ${reason === revocationReasons.certificateHold ? 'on hold' : 'revoked'} ${revokedAt.toISOString()}`;
  if (status === undefined) {
    const isNew = await dependencies.lost.keep(revocation);
    return isNew ? { what: `${what}; it was issued after the backup`, isApplied: true } : null;
  }
  if (isShown(status, revocation)) return null;
  const clock = { now: () => revokedAt };
  try {
    await revokeCertificate({ ...dependencies, clock }, serial, reason, context);
  } catch (error) {
    // One entry that cannot be repeated must not hide those behind it.
    if (!(error instanceof Refusal)) throw error;
    return { what: `${what}: ${error.code} here`, isApplied: false };
  }
  return { what, isApplied: true };
}

/** True when the log says as much: a hold may have become a revocation since, nothing else changes. */
function isShown({ revocation }: CertificateStatus, { reason }: ShownRevocation): boolean {
  if (revocation === null) return false;
  const { certificateHold } = revocationReasons;
  return revocation.reason !== certificateHold || reason === certificateHold;
}
