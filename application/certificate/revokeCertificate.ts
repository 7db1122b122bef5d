import type { Certificate } from '../../domain/certificate/certificate.ts';
import { endDeviceIfEnrolled, type EndDeviceDependencies, latest } from '../device/endDevice.ts';
import type { CommandContext } from '../handleCommand.ts';

/**
 * Revokes a certificate; reason 6 puts it on hold instead. Revoking a citizen's certificate ends its device; a reactor
 * completes what a crash interrupts.
 *
 * @param serial hexadecimal
 * @param reason RFC 5280 CRLReason number
 * @returns position of the last event appended; null when everything was done already
 * @throws Refusal CERTIFICATE_NOT_FOUND, CERTIFICATE_NOT_ACTIVE, REVOCATION_REASON_INVALID, SUSPENSION_NOT_ALLOWED
 */
export async function revokeCertificate(
  dependencies: EndDeviceDependencies,
  serial: string,
  reason: number,
  context: CommandContext,
): Promise<bigint | null> {
  const now = dependencies.clock.now().toISOString();
  const { state, position } = await dependencies.certificates.handle(
    normalSerial(serial),
    { type: 'RevokeCertificate', reason, now },
    context,
  );
  const documentNumber = deviceEndedBy(state);
  if (documentNumber === null) return position;
  const ended = await endDeviceIfEnrolled(dependencies, documentNumber, reason, context);
  return latest([position, ended]);
}

/** Releases a certificate hold. @returns position of the event; null when it was not on hold */
export async function reinstateCertificate(
  { certificates, clock }: Pick<EndDeviceDependencies, 'certificates' | 'clock'>,
  serial: string,
  context: CommandContext,
): Promise<bigint | null> {
  const now = clock.now().toISOString();
  const command = { type: 'ReinstateCertificate', now } as const;
  const { position } = await certificates.handle(normalSerial(serial), command, context);
  return position;
}

/**
 * The device that ends because this certificate was revoked, by document number. A superseded certificate is no longer
 * used by the device, so its revocation has no effect there.
 */
export function deviceEndedBy(certificate: Certificate): string | null {
  if (certificate.status !== 'REVOKED' || certificate.supersededBy !== null) return null;
  const { holder } = certificate.requested;
  return holder.kind === 'citizen' ? holder.documentNumber : null;
}

/** Normalizes a serial to lower case without colons; certificate viewers show it in other forms. */
export function normalSerial(serial: string): string {
  return serial.trim().replaceAll(':', '').toLowerCase();
}
