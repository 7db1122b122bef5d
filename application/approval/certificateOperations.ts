import { awaitProjection } from '../handleCommand.ts';
import { type Certificate, certificateDecider } from '../../domain/certificate/certificate.ts';
import { deviceDecider } from '../../domain/device/device.ts';
import type { ApprovalEffect } from '../../domain/approval/events.ts';
import { fold } from '../../domain/shared/decider.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import {
  type Certificates,
  createCertificates,
  createDevices,
  type Devices,
} from '../aggregates.ts';
import {
  deviceEndedBy,
  endDevice,
  normalSerial,
  revokeCertificate,
} from '../certificate/revocation.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { SensitiveOperation } from './operations.ts';

export interface CertificateOperationsDependencies {
  readonly certificates: Certificates;
  readonly devices: Devices;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly progress: ProjectionProgress;
}

/** Revoking certificates and deactivating phones. */
export function certificateOperations(dependencies: CertificateOperationsDependencies): {
  readonly 'certificate.revoke': SensitiveOperation<'certificate.revoke'>;
  readonly 'device.deactivate': SensitiveOperation<'device.deactivate'>;
} {
  const { certificates, devices, clock, randomness, progress } = dependencies;

  const over = (eventStore: EventStore) => {
    const stores = { eventStore, clock, randomness };
    return { certificates: createCertificates(stores), devices: createDevices(stores), clock };
  };

  async function readable(position: bigint | null): Promise<null> {
    await awaitProjection(progress, Promise.resolve({ position }));
    return null;
  }

  /** Effects of revoking a device's certificates. */
  async function certificateEffects(
    serials: readonly string[],
    reason: number,
  ): Promise<readonly ApprovalEffect[]> {
    const effects: ApprovalEffect[] = [];
    for (const serial of serials) {
      const { state } = await certificates.load(serial);
      effects.push(...effectOn(serial, state, revoked(state, reason, clock.now())));
    }
    return effects;
  }

  return {
    'certificate.revoke': {
      async plan({ serial: text, reason }) {
        const serial = normalSerial(text);
        const { state, revision } = await certificates.load(serial);
        const after = revoked(state, reason, clock.now());
        const effects = [...effectOn(serial, state, after)];
        const documentNumber = effects.length === 0 ? null : deviceEndedBy(after);
        const device = documentNumber === null ? null : (await devices.load(documentNumber)).state;
        if (device?.status === 'ACTIVE') {
          const { authenticationSerial, signingSerial } = device.enrolled;
          const others = [authenticationSerial, signingSerial].filter((each) => each !== serial);
          effects.push(
            deviceEffect(device.enrolled.documentNumber),
            ...(await certificateEffects(others, reason)),
          );
        }
        return {
          subject: serial,
          civilId: holderOf(state),
          effects,
          targets: [{ stream: streamOf('certificate', serial), revision }],
        };
      },
      execute: async ({ serial, reason }, context, eventStore) =>
        readable(await revokeCertificate(over(eventStore), serial, reason, context)),
    },

    'device.deactivate': {
      async plan({ documentNumber, reason }) {
        const { state, revision } = await devices.load(documentNumber);
        const now = clock.now().toISOString();
        const events = deviceDecider.decide({ type: 'DeactivateDevice', reason, now }, state);
        const enrolled = state.status === 'NONE' ? null : state.enrolled;
        const serials =
          enrolled === null ? [] : [enrolled.authenticationSerial, enrolled.signingSerial];
        return {
          subject: documentNumber,
          civilId: enrolled?.civilId ?? null,
          effects:
            events.length === 0
              ? []
              : [deviceEffect(documentNumber), ...(await certificateEffects(serials, reason))],
          targets: [{ stream: streamOf('device', documentNumber), revision }],
        };
      },
      execute: async ({ documentNumber, reason }, context, eventStore) =>
        readable(await endDevice(over(eventStore), documentNumber, reason, context)),
    },
  };
}

/** @throws Refusal as revoking it would */
function revoked(certificate: Certificate, reason: number, now: Date): Certificate {
  const command = { type: 'RevokeCertificate', reason, now: now.toISOString() } as const;
  const events = certificateDecider.decide(command, certificate);
  return fold({ ...certificateDecider, initial: certificate }, events);
}

function effectOn(
  serial: string,
  before: Certificate,
  after: Certificate,
): readonly ApprovalEffect[] {
  if (before.status === after.status) return [];
  return [{ target: `certificate ${serial}`, before: shown(before), after: shown(after) }];
}

function shown(certificate: Certificate): string {
  switch (certificate.status) {
    case 'ISSUED':
      return 'VALID';
    case 'REVOKED':
      return `REVOKED for reason ${certificate.reason}`;
    default:
      return certificate.status;
  }
}

function deviceEffect(documentNumber: string): ApprovalEffect {
  return { target: `device ${documentNumber}`, before: 'ACTIVE', after: 'DEACTIVATED' };
}

function holderOf(certificate: Certificate): string | null {
  if (certificate.status === 'NONE') return null;
  const { holder } = certificate.requested;
  return holder.kind === 'citizen' ? holder.civilId : null;
}
