import { type Certificate, certificateDecider } from '../../domain/certificate/certificate.ts';
import { deviceDecider } from '../../domain/device/device.ts';
import type { ApprovalEffect } from '../../domain/approval/events.ts';
import { fold } from '../../domain/shared/decider.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { SensitiveOperation } from '../approval/operations.ts';
import type { Randomness } from '../ports/randomness.ts';
import { awaitProjection, type CommandContext } from '../handleCommand.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import {
  type Certificates,
  createCertificates,
  createDevices,
  type Devices,
} from '../aggregates.ts';
import type { Clock } from '../ports/clock.ts';
import { revocationReasons } from '../../domain/shared/revocationReason.ts';
import type { CitizenHoldings } from '../ports/citizenHoldings.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import {
  asReactor,
  createReactor,
  type Reactor,
  type ReactorDependencies,
  type RecordedOf,
} from '../reactors/reactor.ts';

export interface EndDeviceDependencies {
  readonly devices: Devices;
  readonly certificates: Certificates;
  readonly clock: Clock;
}

/**
 * Ends a device: deactivates it, then revokes its certificates for the same reason. A reactor completes what a crash
 * interrupts.
 *
 * @param reason RFC 5280 CRLReason number
 * @returns position of the last event appended; null when everything was done already
 * @throws Refusal DOCUMENT_NOT_FOUND, REVOCATION_REASON_INVALID
 */
export async function endDevice(
  { devices, certificates, clock }: EndDeviceDependencies,
  documentNumber: string,
  reason: number,
  context: CommandContext,
): Promise<bigint | null> {
  const now = clock.now().toISOString();
  const ended = await devices.handle(
    documentNumber,
    { type: 'DeactivateDevice', reason, now },
    context,
  );
  if (ended.state.status === 'NONE') throw new Refusal('DOCUMENT_NOT_FOUND');
  const { authenticationSerial, signingSerial } = ended.state.enrolled;
  const positions = [ended.position];
  for (const serial of [authenticationSerial, signingSerial]) {
    const command = { type: 'RevokeCertificate', reason, now } as const;
    const { position } = await certificates.handle(serial, command, context);
    positions.push(position);
  }
  return latest(positions);
}

/** Ends a device, if any: its enrolment may not have completed. See {@link endDevice}. */
async function endDeviceIfEnrolled(
  dependencies: EndDeviceDependencies,
  documentNumber: string,
  reason: number,
  context: CommandContext,
): Promise<bigint | null> {
  try {
    return await endDevice(dependencies, documentNumber, reason, context);
  } catch (error) {
    if (isRefusal(error, 'DOCUMENT_NOT_FOUND')) return null;
    throw error;
  }
}

/** The highest of some log positions; null when nothing was appended. */
export function latest(positions: readonly (bigint | null)[]): bigint | null {
  return positions.reduce(
    (last, each) => (each !== null && (last === null || each > last) ? each : last),
    null,
  );
}

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
function deviceEndedBy(certificate: Certificate): string | null {
  if (certificate.status !== 'REVOKED' || certificate.supersededBy !== null) return null;
  const { holder } = certificate.requested;
  return holder.kind === 'citizen' ? holder.documentNumber : null;
}

/** Normalizes a serial to lower case without colons; certificate viewers show it in other forms. */
function normalSerial(serial: string): string {
  return serial.trim().replaceAll(':', '').toLowerCase();
}

export interface EndIdentityDependencies extends EndDeviceDependencies {
  readonly holdings: CitizenHoldings;
  readonly eventStore: Pick<EventStore, 'head'>;
  readonly progress: ProjectionProgress;
}

/** Ends everything a citizen holds: devices, certificates, requests for certificates. Idempotent. */
export async function endIdentity(
  dependencies: EndIdentityDependencies,
  civilId: string,
  context: CommandContext,
): Promise<void> {
  const { holdings, certificates, clock, eventStore, progress } = dependencies;
  const head = await eventStore.head();
  if (head !== null) await progress.untilProjected(head);
  const reason = revocationReasons.cessationOfOperation;
  for (const documentNumber of await holdings.activeDocumentNumbersOf(civilId)) {
    await endDevice(dependencies, documentNumber, reason, context);
  }
  for (const { serial, isIssued } of await holdings.openCertificatesOf(civilId)) {
    const now = clock.now().toISOString();
    if (isIssued) await revokeCertificate(dependencies, serial, reason, context);
    else await certificates.handle(serial, { type: 'AbandonRequest', now }, context);
  }
}

export interface EndDeviceReactorOptions extends ReactorDependencies, EndDeviceDependencies {}

/** Completes an interrupted revocation: deactivates the phone of every revoked citizen's certificate. */
export function createDeviceEndingReactor(options: EndDeviceReactorOptions): Reactor {
  const name = 'endDeviceOfRevokedCertificate';

  async function end({ id, event }: RecordedOf<'CertificateRevoked'>): Promise<void> {
    const { data } = event;
    const { state } = await options.certificates.load(data.serial);
    const documentNumber = deviceEndedBy(state);
    if (documentNumber === null) return;
    const context = asReactor(name, documentNumber, id);
    await endDeviceIfEnrolled(options, documentNumber, data.reason, context);
  }

  const concern = { name, category: 'certificate', types: ['CertificateRevoked'] } as const;
  return createReactor(concern, end, options);
}

/**
 * Completes an interrupted deactivation: revokes the certificates of every deactivated phone. Also deactivates a phone
 * enrolled with a certificate that was revoked meanwhile.
 */
export function createCertificateRevokingReactor(options: EndDeviceReactorOptions): Reactor {
  const name = 'revokeCertificatesOfEndedDevice';

  async function revoke({
    id,
    event: { type, data },
  }: RecordedOf<'DeviceDeactivated' | 'DeviceEnrolled'>): Promise<void> {
    const context = asReactor(name, data.documentNumber, id);
    if (type === 'DeviceDeactivated') {
      await endDevice(options, data.documentNumber, data.reason, context);
      return;
    }
    for (const serial of [data.authenticationSerial, data.signingSerial]) {
      const { state } = await options.certificates.load(serial);
      if (deviceEndedBy(state) !== data.documentNumber) continue;
      const reason = state.status === 'REVOKED' ? state.reason : 0;
      await endDevice(options, data.documentNumber, reason, context);
      return;
    }
  }

  const concern = {
    name,
    category: 'device',
    types: ['DeviceDeactivated', 'DeviceEnrolled'],
  } as const;
  return createReactor(concern, revoke, options);
}

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
