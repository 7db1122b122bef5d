import type { SessionStarted } from '../../domain/session/events.ts';
import { meetsLevel } from '../../domain/shared/certificateLevel.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CertificateFact } from '../ports/facts.ts';
import { certificateTypeFor, isInForce } from '../session/sessionOwner.ts';

type Started = SessionStarted['data'];

/**
 * Checks that the device can answer this session with the certificate now.
 *
 * @throws Refusal CERTIFICATE_NOT_ACTIVE, NO_SUITABLE_CERTIFICATE
 */
export function expectUsable(certificate: CertificateFact, started: Started, now: Date): void {
  if (
    certificate.type !== certificateTypeFor(started.kind) ||
    // Its person was forgotten: there is no certificate left to answer with.
    certificate.certificate === null ||
    !isInForce(certificate, now.toISOString())
  ) {
    throw new Refusal('CERTIFICATE_NOT_ACTIVE');
  }
  if (!meetsLevel(certificate.level, started.certificateLevel)) {
    throw new Refusal('NO_SUITABLE_CERTIFICATE');
  }
}
