import type { CertificateType } from '../../domain/certificate/events.ts';
import type { SessionStarted } from '../../domain/session/events.ts';
import { meetsLevel } from '../../domain/shared/certificateLevel.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CertificateFact } from '../ports/facts.ts';

type Started = SessionStarted['data'];

const typeFor: Readonly<Record<Started['kind'], CertificateType>> = {
  AUTHENTICATION: 'AUTH',
  SIGNATURE: 'SIGN',
  CERTIFICATE_CHOICE: 'SIGN',
};

/**
 * Checks that the device can answer this session with the certificate now.
 *
 * @throws Refusal CERTIFICATE_NOT_ACTIVE, NO_SUITABLE_CERTIFICATE
 */
export function expectUsable(certificate: CertificateFact, started: Started, now: Date): void {
  const time = now.getTime();
  if (
    certificate.type !== typeFor[started.kind] ||
    certificate.status !== 'VALID' ||
    // Its person was forgotten: there is no certificate left to answer with.
    certificate.certificate === null ||
    time < Date.parse(certificate.notBefore) ||
    time > Date.parse(certificate.notAfter)
  ) {
    throw new Refusal('CERTIFICATE_NOT_ACTIVE');
  }
  if (!meetsLevel(certificate.level, started.certificateLevel)) {
    throw new Refusal('NO_SUITABLE_CERTIFICATE');
  }
}
