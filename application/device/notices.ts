import { mayEndPhone } from '../../domain/citizen/citizen.ts';
import {
  type NoticeGiven,
  type OrganizationChange,
  organizationChanges,
  type RightChange,
  rightChanges,
} from '../../domain/notice/events.ts';
import { lengthPrefixed } from '../../domain/shared/digest.ts';
import { organizationEtsi, personEtsi } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { revocationReasons } from '../../domain/shared/revocationReason.ts';
import type { Citizens, Notices } from '../aggregates.ts';
import type { CommandContext } from '../handleCommand.ts';
import { Unavailable } from '../ports/faults.ts';
import type { SignatureVerifier } from '../ports/signatureVerifier.ts';
import { isInForce } from '../session/sessions.ts';
import type { NoticeViews } from './ports/noticeViews.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type {
  CitizenReferenceData,
  DeviceData,
  DeviceReferenceData,
  OrganizationReferenceData,
} from '../ports/referenceData.ts';
import { endDevice, type EndDeviceDependencies, latest } from '../certificate/revocation.ts';

export interface NoticeDependencies extends EndDeviceDependencies {
  readonly notices: Pick<Notices, 'load'>;
  readonly noticeViews: NoticeViews;
  readonly citizens: Pick<Citizens, 'handle' | 'load'>;
  readonly signatureVerifier: SignatureVerifier;
  readonly referenceData: CitizenReferenceData & DeviceReferenceData & OrganizationReferenceData;
  readonly progress: ProjectionProgress;
  /** Time a new phone can be stopped in, and time no other is enrolled then, ms. */
  readonly enrolmentBlockMs: number;
}

/** Dependencies of reading notices. */
type NoticeReading = Pick<
  NoticeDependencies,
  'noticeViews' | 'citizens' | 'devices' | 'referenceData' | 'clock' | 'enrolmentBlockMs'
>;

/** A notice as the phone shows it; names are the current ones. */
export interface ShownNotice {
  readonly noticeId: string;
  readonly kind: NoticeGiven['data']['kind'];
  readonly givenAt: string;
  /** The other phone; null: another kind. */
  readonly device: {
    readonly documentNumber: string;
    readonly platform: string;
    readonly enrolledAt: string;
    /** True when "It was not me" ends it on this phone. */
    readonly mayEnd: boolean;
  } | null;
  /** The changed right; null: another kind. */
  readonly right: {
    readonly orgEtsi: string;
    readonly orgName: string;
    readonly change: RightChange;
    readonly personEtsi: string;
    /** Null: not known any more. */
    readonly personName: string | null;
  } | null;
  /** The changed organization, with its names now; null: another kind. */
  readonly organization: {
    readonly orgEtsi: string;
    readonly orgName: string;
    readonly orgNameEn: string | null;
    readonly change: OrganizationChange;
  } | null;
}

/** Lists the phone's notices, the newest first; of phones that ended since, none. */
export async function readNotices(
  dependencies: NoticeReading,
  phone: DeviceData,
): Promise<readonly ShownNotice[]> {
  const { noticeViews, clock, enrolmentBlockMs } = dependencies;
  const since = new Date(clock.now().getTime() - enrolmentBlockMs);
  const given = await noticeViews.noticesFor(phone.documentNumber, since);
  const shown = await Promise.all(given.map((notice) => present(dependencies, phone, notice)));
  return shown.filter((notice) => notice !== null);
}

async function present(
  dependencies: NoticeReading,
  phone: DeviceData,
  given: NoticeGiven['data'],
): Promise<ShownNotice | null> {
  const { noticeId, kind, givenAt, documentNumber, register } = given;
  const { referenceData } = dependencies;
  const common = { noticeId, kind, givenAt, device: null, right: null, organization: null };
  if (documentNumber !== null) {
    const device = await referenceData.device(documentNumber);
    if (device?.active !== true) return null;
    const { mayEnd, enrolledAt } = await endingOf(dependencies, phone, documentNumber);
    const { platform } = device;
    return { ...common, device: { documentNumber, platform, enrolledAt, mayEnd } };
  }
  if (register === null) return null;
  const changed = await presentChange(referenceData, register, given);
  return changed && { ...common, ...changed };
}

async function presentChange(
  referenceData: NoticeReading['referenceData'],
  register: string,
  { change, person }: NoticeGiven['data'],
): Promise<Pick<ShownNotice, 'organization'> | Pick<ShownNotice, 'right'> | null> {
  if (change === null) return null;
  const { name: orgName = register, nameLatin: orgNameEn = null } =
    (await referenceData.organization(register)) ?? {};
  const named = { orgEtsi: organizationEtsi(register), orgName };
  if (isOneOf(organizationChanges, change)) {
    return { organization: { ...named, orgNameEn, change } };
  }
  if (person === null || !isOneOf(rightChanges, change)) return null;
  const citizen = await referenceData.citizen({ type: 'civilId', civilId: person });
  const personName =
    citizen === null ? null : `${citizen.identity.surname} ${citizen.identity.givenName}`;
  return { right: { ...named, change, personEtsi: personEtsi(person), personName } };
}

function isOneOf<Change extends string>(all: readonly Change[], change: string): change is Change {
  return (all as readonly string[]).includes(change);
}

/** Enrolment of another phone of the citizen, and whether it may be ended on `phone`. */
async function endingOf(
  { devices, citizens }: NoticeReading,
  phone: DeviceData,
  other: string,
): Promise<{ readonly mayEnd: boolean; readonly enrolledAt: string }> {
  const [asking, ended] = await Promise.all([
    devices.load(phone.documentNumber),
    devices.load(other),
  ]);
  if (asking.state.status === 'NONE' || ended.state.status === 'NONE') {
    throw new Unavailable('database');
  }
  const { state: citizen } = await citizens.load(phone.civilId);
  const { enrolled } = ended.state;
  return {
    mayEnd: mayEndPhone(citizen, asking.state.enrolled, enrolled),
    enrolledAt: enrolled.enrolledAt,
  };
}

/**
 * Payload signed with PIN1 to end another phone:
 * `LP("TAMGA_DISOWN_V1") ‖ LP(notice id) ‖ LP(document number of the asking phone) ‖ LP(that of the ended one)`.
 */
function disownPayload(noticeId: string, asking: string, ended: string): Buffer {
  return Buffer.concat(
    ['TAMGA_DISOWN_V1', noticeId, asking, ended].map((part) => lengthPrefixed(Buffer.from(part))),
  );
}

/**
 * "It was not me": blocks further enrolments of the citizen for a time, and ends the phone the notice tells of, with
 * its certificates. Takes a signature with PIN1, so that a phone somebody found ends none; the better proved enrolment
 * prevails, of equals the older. Repeatable after an interruption.
 *
 * @throws Refusal NOT_FOUND for a notice of another kind or phone, and when its time is over; CERTIFICATE_NOT_ACTIVE,
 * SIGNATURE_INVALID; PERMISSION_DENIED when the other phone prevails
 */
export async function disownDevice(
  dependencies: NoticeDependencies,
  {
    device,
    noticeId,
    signature,
  }: { readonly device: DeviceData; readonly noticeId: string; readonly signature: Buffer },
  context: CommandContext,
): Promise<{ readonly documentNumber: string; readonly blockedUntil: string }> {
  const { citizens, clock, progress, enrolmentBlockMs } = dependencies;
  const documentNumber = await toldPhone(dependencies, device, noticeId);
  const now = clock.now();
  await expectSigned(
    dependencies,
    device,
    disownPayload(noticeId, device.documentNumber, documentNumber),
    signature,
  );
  const { mayEnd } = await endingOf(dependencies, device, documentNumber);
  if (!mayEnd) throw new Refusal('PERMISSION_DENIED');
  const until = new Date(now.getTime() + enrolmentBlockMs).toISOString();
  const { civilId, documentNumber: blockedBy } = device;
  const blocked = await citizens.handle(
    civilId,
    {
      type: 'BlockEnrolments',
      civilId,
      documentNumber,
      blockedBy,
      until,
      now: now.toISOString(),
    },
    context,
  );
  const reason = revocationReasons.keyCompromise;
  const ended = await endDevice(dependencies, documentNumber, reason, context);
  const position = latest([blocked.position, ended]);
  if (position !== null) await progress.untilProjected(position);
  const { state: citizen } = blocked;
  const block = citizen.status === 'ENROLLED' ? citizen.block : null;
  return { documentNumber, blockedUntil: block?.until ?? until };
}

/** Document number of the phone that the notice tells `device` of. @throws Refusal NOT_FOUND */
async function toldPhone(
  { notices, clock, enrolmentBlockMs }: NoticeDependencies,
  { documentNumber }: DeviceData,
  noticeId: string,
): Promise<string> {
  const { state } = await notices.load(noticeId);
  const given = state.status === 'GIVEN' ? state.given : null;
  const told = given?.phones.includes(documentNumber) === true ? given : null;
  const isNews = told !== null && clock.now().getTime() < endOf(told, enrolmentBlockMs);
  if (isNews && told.documentNumber !== null) return told.documentNumber;
  throw new Refusal('NOT_FOUND', {
    detail: 'No notice of another phone to this one has this id.',
  });
}

/** @throws Refusal CERTIFICATE_NOT_ACTIVE, SIGNATURE_INVALID */
async function expectSigned(
  { signatureVerifier, clock }: NoticeDependencies,
  { authentication }: DeviceData,
  payload: Buffer,
  signature: Buffer,
): Promise<void> {
  if (!isInForce(authentication, clock.now().toISOString())) {
    throw new Refusal('CERTIFICATE_NOT_ACTIVE');
  }
  const input = { payload, hash: 'SHA256' } as const;
  if (!(await signatureVerifier.verify(authentication.publicKey, input, signature))) {
    throw new Refusal('SIGNATURE_INVALID', {
      detail: 'The signature with PIN1 over what is to be ended does not verify.',
    });
  }
}

function endOf({ givenAt }: NoticeGiven['data'], blockMs: number): number {
  return Date.parse(givenAt) + blockMs;
}
