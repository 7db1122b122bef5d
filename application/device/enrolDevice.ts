import type { CitizenCertificateType } from '../../domain/certificate/events.ts';
import { useOfToken } from '../../domain/citizen/citizen.ts';
import type { Identity } from '../../domain/citizen/events.ts';
import type { DevicePlatform } from '../../domain/device/events.ts';
import { type CertificateLevel, lowerLevel } from '../../domain/shared/certificateLevel.ts';
import { lengthPrefixed, sha256, uuidFrom } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { awaitProjection, type CommandContext } from '../handleCommand.ts';
import type { IssuedCertificate } from '../certificate/certify.ts';
import type { CertificateApplication } from '../certificate/issueCertificate.ts';
import type { Citizens, Devices } from '../aggregates.ts';
import { readEnrolmentToken } from '../citizen/enrolmentToken.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { DeviceData, DeviceReferenceData } from '../ports/referenceData.ts';
import { Unavailable } from '../ports/faults.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type { SignatureVerifier } from '../ports/signatureVerifier.ts';
import { checkEnrolmentKeys, enrolmentKeyNames, type EnrolmentKeys } from './enrolmentKeys.ts';

export interface Enrolment {
  readonly token: string;
  readonly platform: DevicePlatform;
  /** Address of the phone at the push gateway; null when it only polls its inbox. */
  readonly pushToken: string | null;
  /** Level wanted; the certificates have at most the one the identity verification suffices for. */
  readonly level: CertificateLevel;
  readonly keys: EnrolmentKeys;
}

export interface EnrolDeviceDependencies {
  readonly citizens: Citizens;
  readonly devices: Devices;
  /** `issueCertificate` with its dependencies bound. */
  readonly issueCertificate: (
    application: CertificateApplication,
    context: CommandContext,
  ) => Promise<IssuedCertificate>;
  readonly signatureVerifier: SignatureVerifier;
  readonly referenceData: DeviceReferenceData;
  readonly progress: ProjectionProgress;
  readonly eventStore: Pick<EventStore, 'head'>;
  readonly clock: Clock;
  /** Time before which no enrolment token counts; null: none. */
  readonly countsSince: () => Date | null;
}

/**
 * Enrols a phone: uses up the token, certifies two keys, records the device; resolves when the read model shows it.
 * Everything is derived from the token and the keys, so an idempotent retry, after a crash or a lost response,
 * completes or finds the same device. The token's use decides between two requests with different keys.
 *
 * @throws Refusal ENROLMENT_TOKEN_INVALID, ENROLMENT_BLOCKED, INVALID_REQUEST, KEY_PROOF_INVALID
 * @throws Unavailable during an outage; the same request may be sent again
 */
export async function enrolDevice(
  dependencies: EnrolDeviceDependencies,
  enrolment: Enrolment,
  context: CommandContext,
): Promise<DeviceData> {
  const { citizens, devices, issueCertificate, signatureVerifier, clock, countsSince } =
    dependencies;
  const { token, keys, platform, pushToken } = enrolment;
  const { civilId, hash } = readEnrolmentToken(token);
  const keyTypes = await checkEnrolmentKeys(keys, hash, signatureVerifier);
  const binding = bindingOf(hash, keys);
  const documentNumber = documentNumberOf(binding);

  const { state: citizen } = await citizens.handle(
    civilId,
    {
      type: 'Enrol',
      civilId,
      enrolmentTokenHash: hash,
      documentNumber,
      now: clock.now().toISOString(),
      countsSince: countsSince()?.toISOString() ?? null,
    },
    context,
  );
  const used = useOfToken(citizen, hash);
  if (citizen.status !== 'ENROLLED' || used === undefined) {
    throw new Refusal('ENROLMENT_TOKEN_INVALID');
  }
  const level = lowerLevel(enrolment.level, used.highestLevel);

  const certify = async (type: CitizenCertificateType, name: 'authentication' | 'signing') => {
    const serial = serialOf(binding, type);
    const { givenName, surname }: Identity = citizen.identity;
    const person = { civilId, documentNumber, givenName, surname };
    const publicKey = keys[name].publicKey;
    await issueCertificate(
      { ...person, serial, type, level, keyType: keyTypes[name], publicKey },
      context,
    );
    return serial;
  };
  const existing = await devices.load(documentNumber, { trusts: () => false });
  if (existing.state.status === 'NONE') {
    await devices.handle(
      documentNumber,
      {
        type: 'EnrolDevice',
        enrolled: {
          documentNumber,
          civilId,
          platform,
          pushToken,
          transportKey: keys.transport.publicKey.toString('base64'),
          authenticationSerial: await certify('AUTH', 'authentication'),
          signingSerial: await certify('SIGN', 'signing'),
          enrolledAt: clock.now().toISOString(),
        },
      },
      context,
    );
  }
  return whenReadable(documentNumber, dependencies);
}

async function whenReadable(
  documentNumber: string,
  { referenceData, progress, eventStore }: EnrolDeviceDependencies,
): Promise<DeviceData> {
  const position = await eventStore.head();
  await awaitProjection(progress, Promise.resolve({ position }));
  const device = await referenceData.device(documentNumber);
  if (device === null) throw new Unavailable('database');
  return device;
}

/** Identity of this enrolment: its token and its three keys. */
function bindingOf(tokenHash: string, keys: EnrolmentKeys): Buffer {
  return sha256(
    Buffer.concat([
      lengthPrefixed(Buffer.from(tokenHash, 'hex')),
      ...enrolmentKeyNames.map((name) => lengthPrefixed(keys[name].publicKey)),
    ]),
  );
}

function documentNumberOf(binding: Buffer): string {
  return uuidFrom(Buffer.concat([Buffer.from('document number'), binding]));
}

/** Serial number, as unpredictable as the token (RFC 5280 §4.1.2.2): 16 bytes, positive and of constant length. */
function serialOf(binding: Buffer, type: CitizenCertificateType): string {
  const bytes = sha256(Buffer.concat([Buffer.from(`serial ${type}`), binding])).subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(0) & 0x7f) | 0x40, 0);
  return bytes.toString('hex');
}
