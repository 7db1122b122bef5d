import type { NoticeGiven } from '../../domain/notice/events.ts';
import { organizationEtsi, personEtsi } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { revocationReasons } from '../../domain/shared/revocationReason.ts';
import type { Citizens, Notices } from '../aggregates.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { NoticeViews } from './ports/noticeViews.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type {
  CitizenReferenceData,
  DeviceData,
  DeviceReferenceData,
  OrganizationReferenceData,
} from '../ports/referenceData.ts';
import { endDevice, type EndDeviceDependencies, latest } from './endDevice.ts';

export interface NoticeDependencies extends EndDeviceDependencies {
  readonly notices: Pick<Notices, 'load'>;
  readonly noticeViews: NoticeViews;
  readonly citizens: Pick<Citizens, 'handle'>;
  readonly referenceData: CitizenReferenceData & DeviceReferenceData & OrganizationReferenceData;
  readonly progress: ProjectionProgress;
  /** Time a new phone can be stopped in, and time no other is enrolled then, ms. */
  readonly enrolmentBlockMs: number;
}

/** A notice as the phone shows it; names are the current ones. */
export interface ShownNotice {
  readonly noticeId: string;
  readonly kind: NoticeGiven['data']['kind'];
  readonly givenAt: string;
  /** The enrolled phone; null: another kind. */
  readonly device: { readonly documentNumber: string; readonly platform: string } | null;
  /** The changed right; null: another kind. */
  readonly right: {
    readonly orgEtsi: string;
    readonly orgName: string;
    readonly change: string;
    readonly personEtsi: string;
    /** Null: not known any more. */
    readonly personName: string | null;
  } | null;
}

/** Lists the phone's notices, the newest first; of phones that ended since, none. */
export async function readNotices(
  dependencies: NoticeDependencies,
  { documentNumber }: DeviceData,
): Promise<readonly ShownNotice[]> {
  const { noticeViews, clock, enrolmentBlockMs } = dependencies;
  const since = new Date(clock.now().getTime() - enrolmentBlockMs);
  const given = await noticeViews.noticesFor(documentNumber, since);
  const shown = await Promise.all(given.map((notice) => present(dependencies, notice)));
  return shown.filter((notice) => notice !== null);
}

async function present(
  { referenceData }: NoticeDependencies,
  given: NoticeGiven['data'],
): Promise<ShownNotice | null> {
  const { noticeId, kind, givenAt, documentNumber, register, change, person } = given;
  const common = { noticeId, kind, givenAt };
  if (documentNumber !== null) {
    const device = await referenceData.device(documentNumber);
    if (device?.active !== true) return null;
    return { ...common, device: { documentNumber, platform: device.platform }, right: null };
  }
  if (register === null || change === null || person === null) return null;
  const [organization, citizen] = await Promise.all([
    referenceData.organization(register),
    referenceData.citizen({ type: 'civilId', civilId: person }),
  ]);
  const orgName = organization?.name ?? register;
  const personName =
    citizen === null ? null : `${citizen.identity.surname} ${citizen.identity.givenName}`;
  return {
    ...common,
    device: null,
    right: {
      orgEtsi: organizationEtsi(register),
      orgName,
      change,
      personEtsi: personEtsi(person),
      personName,
    },
  };
}

/**
 * "It was not me": blocks further enrolments of the citizen for a time, and ends the phone the notice tells of, with
 * its certificates. Only the phones that were told can, so an older one; repeatable after an interruption.
 *
 * @throws Refusal NOT_FOUND for a notice of another kind or phone, and when its time is over
 */
export async function disownDevice(
  dependencies: NoticeDependencies,
  { device, noticeId }: { readonly device: DeviceData; readonly noticeId: string },
  context: CommandContext,
): Promise<{ readonly documentNumber: string; readonly blockedUntil: string }> {
  const { notices, citizens, clock, progress, enrolmentBlockMs } = dependencies;
  const { state } = await notices.load(noticeId);
  const given = state.status === 'GIVEN' ? state.given : null;
  const documentNumber = given?.documentNumber ?? null;
  const now = clock.now();
  const isTold = given?.phones.includes(device.documentNumber) === true;
  if (!isTold || documentNumber === null || now.getTime() >= endOf(given, enrolmentBlockMs)) {
    throw new Refusal('NOT_FOUND', { detail: 'No notice of a new phone to this one has this id.' });
  }
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

function endOf({ givenAt }: NoticeGiven['data'], blockMs: number): number {
  return Date.parse(givenAt) + blockMs;
}
