import type { SessionStarted } from '../../domain/session/events.ts';
import type { Answerer, Session, StartedSession } from '../../domain/session/session.ts';
import { meetsLevel } from '../../domain/shared/certificateLevel.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CertificateData, DeviceData } from '../ports/referenceData.ts';
import { certificateTypeFor, isInForce } from '../session/sessionOwner.ts';
import type { Sessions } from '../session/sessions.ts';

/** The answerer of this device. */
export function answererOf({ documentNumber, civilId }: DeviceData): Answerer {
  return { documentNumber, civilId };
}

/**
 * The session, when `isFor` accepts the device. The cache may be outdated (another process started or claimed it), so a
 * rejection is final only from the log.
 *
 * @throws Refusal SESSION_NOT_FOUND
 */
export async function loadSessionFor(
  sessions: Sessions,
  sessionId: string,
  isFor: (session: StartedSession) => boolean,
): Promise<StartedSession> {
  const started = (session: Session) =>
    session.status !== 'NONE' && isFor(session) ? session : undefined;
  const session =
    started((await sessions.load(sessionId)).state) ??
    started((await sessions.load(sessionId, { trusts: () => false })).state);
  if (session === undefined) throw new Refusal('SESSION_NOT_FOUND');
  return session;
}

/**
 * Checks that the device can answer this session with the certificate now.
 *
 * @throws Refusal CERTIFICATE_NOT_ACTIVE, NO_SUITABLE_CERTIFICATE
 */
export function expectUsable(
  certificate: CertificateData,
  started: SessionStarted['data'],
  now: Date,
): void {
  if (
    certificate.type !== certificateTypeFor(started.kind) ||
    // Null for a forgotten person.
    certificate.certificate === null ||
    !isInForce(certificate, now.toISOString())
  ) {
    throw new Refusal('CERTIFICATE_NOT_ACTIVE');
  }
  if (!meetsLevel(certificate.level, started.certificateLevel)) {
    throw new Refusal('NO_SUITABLE_CERTIFICATE');
  }
}
