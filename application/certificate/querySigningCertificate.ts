import { type CertificateLevel, meetsLevel } from '../../domain/shared/certificateLevel.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeviceFacts } from '../ports/facts.ts';
import { isInForce, NoSuitableCertificate } from '../session/sessionOwner.ts';

export interface SigningCertificateQuery {
  readonly documentNumber: string;
  /** The least level acceptable. */
  readonly certificateLevel: CertificateLevel;
}

export interface SigningCertificate {
  /** Base64 DER. */
  readonly certificate: string;
  readonly level: CertificateLevel;
}

/**
 * The certificate a device would sign with, without asking its owner.
 *
 * @returns null when the device cannot sign now: its certificate is revoked, suspended or out of date
 * @throws Refusal DOCUMENT_NOT_FOUND; NoSuitableCertificate when the level is too low
 */
export async function querySigningCertificate(
  { facts, clock }: { readonly facts: DeviceFacts; readonly clock: Clock },
  { documentNumber, certificateLevel }: SigningCertificateQuery,
): Promise<SigningCertificate | null> {
  const device = await facts.device(documentNumber);
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
