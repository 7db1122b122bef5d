import type { SessionConfirmed, SessionStarted } from '../../domain/session/events.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CertificateReferenceData, CitizenReferenceData } from '../ports/referenceData.ts';
import type { DocumentSigner } from '../ports/pdfStamping.ts';
import { representedIn } from '../session/represented.ts';

/** Signer and certificate of a session. @throws Refusal PERSON_NOT_FOUND when forgotten meanwhile */
export async function signerOfSession(
  referenceData: CitizenReferenceData & CertificateReferenceData,
  started: SessionStarted['data'],
  confirmation: SessionConfirmed['data'],
): Promise<DocumentSigner & { readonly publicKey: string }> {
  const [citizen, certificate] = await Promise.all([
    referenceData.citizen({ type: 'civilId', civilId: confirmation.civilId }),
    referenceData.certificate(confirmation.certificateSerial),
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
