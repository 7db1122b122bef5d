import type { SessionConfirmed, SessionStarted } from '../../domain/session/events.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CertificateFacts, CitizenFacts } from '../ports/facts.ts';
import type { DocumentSigner } from '../ports/pdfStamping.ts';
import { representedIn } from '../session/represented.ts';

/** Who signed in a session, and with which certificate. @throws Refusal PERSON_NOT_FOUND when forgotten since */
export async function signerOfSession(
  facts: CitizenFacts & CertificateFacts,
  started: SessionStarted['data'],
  confirmation: SessionConfirmed['data'],
): Promise<DocumentSigner & { readonly publicKey: string }> {
  const [citizen, certificate] = await Promise.all([
    facts.citizen({ type: 'civilId', civilId: confirmation.civilId }),
    facts.certificate(confirmation.certificateSerial),
  ]);
  const der = certificate?.certificate ?? null;
  if (citizen === null || certificate === null || der === null) {
    throw new Refusal('PERSON_NOT_FOUND');
  }
  return {
    ...citizen.identity,
    organization: representedIn(started),
    certificate: Buffer.from(der, 'base64'),
    certificateSerial: confirmation.certificateSerial,
    certificateLevel: confirmation.certificateLevel,
    publicKey: certificate.publicKey,
  };
}
