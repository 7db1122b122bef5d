import { newestFirst } from '../../domain/shared/history.ts';
import { revocationReasons } from '../../domain/shared/revocationReason.ts';
import type { Certificates, SealCertificates } from '../aggregates.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';

/**
 * Revokes every seal certificate of an organization, superseded ones included: verifiers accept them until revoked.
 * Idempotent.
 *
 * @returns false when there was nothing to do
 */
export async function endSealCertificates(
  {
    certificates,
    sealCertificates,
    clock,
  }: {
    readonly certificates: Certificates;
    readonly sealCertificates: SealCertificates;
    readonly clock: Clock;
  },
  register: string,
  context: CommandContext,
): Promise<boolean> {
  const { state } = await sealCertificates.load(register);
  const reason = revocationReasons.cessationOfOperation;
  let acted = false;
  for (const serial of newestFirst(state.serials)) {
    const { state: certificate } = await certificates.load(serial);
    // Requested but not issued: issuing checks the organization afterwards.
    if (certificate.status === 'NONE' || certificate.status === 'REVOKED') continue;
    const now = clock.now().toISOString();
    if (certificate.status === 'REQUESTED') {
      await certificates.handle(serial, { type: 'AbandonRequest', now }, context);
    } else {
      await certificates.handle(serial, { type: 'RevokeCertificate', reason, now }, context);
    }
    acted = true;
  }
  return acted;
}
