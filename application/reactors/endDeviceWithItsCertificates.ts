import type { CertificateEvent } from '../../domain/certificate/events.ts';
import type { DeviceEvent } from '../../domain/device/events.ts';
import {
  deviceEndedBy,
  endDevice,
  type EndDeviceDependencies,
  endDeviceIfEnrolled,
} from '../certificate/revocation.ts';
import type { RecordedEvent } from '../ports/eventStore.ts';
import { asReactor, createReactor, type Reactor, type ReactorDependencies } from './reactor.ts';

export interface EndDeviceReactorOptions extends ReactorDependencies, EndDeviceDependencies {}

/** Completes an interrupted revocation: deactivates the phone of every revoked citizen's certificate. */
export function createDeviceEndingReactor(options: EndDeviceReactorOptions): Reactor {
  const name = 'endDeviceOfRevokedCertificate';

  async function end({ id, event }: RecordedEvent): Promise<void> {
    const { type, data } = event as CertificateEvent;
    if (type !== 'CertificateRevoked') return;
    const { state } = await options.certificates.load(data.serial);
    const documentNumber = deviceEndedBy(state);
    if (documentNumber === null) return;
    const context = asReactor(name, documentNumber, id);
    await endDeviceIfEnrolled(options, documentNumber, data.reason, context);
  }

  return createReactor(name, 'certificate', end, options);
}

/**
 * Completes an interrupted deactivation: revokes the certificates of every deactivated phone. Also deactivates a phone
 * enrolled with a certificate that was revoked meanwhile.
 */
export function createCertificateRevokingReactor(options: EndDeviceReactorOptions): Reactor {
  const name = 'revokeCertificatesOfEndedDevice';

  async function revoke({ id, event }: RecordedEvent): Promise<void> {
    const { type, data } = event as DeviceEvent;
    const context = asReactor(name, data.documentNumber, id);
    if (type === 'DeviceDeactivated') {
      await endDevice(options, data.documentNumber, data.reason, context);
      return;
    }
    if (type === 'DevicePinLocked') return;
    for (const serial of [data.authenticationSerial, data.signingSerial]) {
      const { state } = await options.certificates.load(serial);
      if (deviceEndedBy(state) !== data.documentNumber) continue;
      const reason = state.status === 'REVOKED' ? state.reason : 0;
      await endDevice(options, data.documentNumber, reason, context);
      return;
    }
  }

  return createReactor(name, 'device', revoke, options);
}
