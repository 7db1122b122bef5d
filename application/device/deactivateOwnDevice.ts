import type { Certificates } from '../certificate/certificates.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeviceFact } from '../ports/facts.ts';
import type { Devices } from './devices.ts';

export interface DeactivateDependencies {
  readonly devices: Devices;
  readonly certificates: Certificates;
  readonly clock: Clock;
}

/** RFC 5280 §5.3.1 cessationOfOperation: the owner gives the phone up. */
const CESSATION_OF_OPERATION = 5;

/**
 * Gives the phone up: revokes both its certificates, then the device. In this order, because a phone that is no longer
 * active cannot ask again when something fails in between.
 */
export async function deactivateOwnDevice(
  { devices, certificates, clock }: DeactivateDependencies,
  device: DeviceFact,
  context: CommandContext,
): Promise<void> {
  const now = clock.now().toISOString();
  const reason = CESSATION_OF_OPERATION;
  for (const { serial } of [device.authentication, device.signing]) {
    await certificates.handle(serial, { type: 'RevokeCertificate', reason, now }, context);
  }
  await devices.handle(device.documentNumber, { type: 'DeactivateDevice', reason, now }, context);
}
