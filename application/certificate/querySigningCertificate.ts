import { type CertificateLevel, meetsLevel } from '../../domain/shared/certificateLevel.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeviceReferenceData } from '../ports/referenceData.ts';
import { isInForce, NoSuitableCertificate } from '../session/sessions.ts';

export interface SigningCertificateQuery {
  readonly documentNumber: string;
  /** Minimum level. */
  readonly certificateLevel: CertificateLevel;
}

export interface SigningCertificate {
  /** Base64 DER. */
  readonly certificate: string;
  readonly level: CertificateLevel;
}

/**
 * The certificate a device would sign with, without involving its owner.
 *
 * @returns null when the device cannot sign now: its certificate is revoked, suspended or expired
 * @throws Refusal DOCUMENT_NOT_FOUND; NoSuitableCertificate when the level is too low
 */
export async function querySigningCertificate(
  { referenceData, clock }: { readonly referenceData: DeviceReferenceData; readonly clock: Clock },
  { documentNumber, certificateLevel }: SigningCertificateQuery,
): Promise<SigningCertificate | null> {
  const device = await referenceData.device(documentNumber);
  if (device?.active !== true) throw new Refusal('DOCUMENT_NOT_FOUND');
  const { certificate, level } = device.signing;
  if (certificate === null || !isInForce(device.signing, clock.now().toISOString())) return null;
  if (!meetsLevel(level, certificateLevel)) {
    throw new NoSuitableCertificate(
      `The signing certificate of the device is ${level}, not ${certificateLevel} or above.`,
      true,
    );
  }
  return { certificate, level };
}
