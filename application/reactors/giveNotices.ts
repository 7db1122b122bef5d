import type { NoticeGiven } from '../../domain/notice/events.ts';
import { uuidFrom } from '../../domain/shared/digest.ts';
import type { Devices, Notices } from '../aggregates.ts';
import { createDelivery, type DeliveryDependencies } from '../delivery.ts';
import type { AccessLog } from '../organization/accessLog.ts';
import type { Clock } from '../ports/clock.ts';
import { errorClass } from '../ports/faults.ts';
import type { RecordedEvent } from '../ports/eventStore.ts';
import type { DeviceData, DeviceReferenceData } from '../ports/referenceData.ts';
import type { Jobs } from './ports/jobs.ts';
import type { PushGateway } from './ports/push.ts';
import {
  asReactor,
  createRetryingReactor,
  type Reactor,
  type ReactorDependencies,
  type RecordedOf,
} from './reactor.ts';

export interface NoticeReactorOptions extends ReactorDependencies {
  readonly notices: Notices;
  readonly devices: DeviceReferenceData;
  readonly jobs: Jobs;
  readonly clock: Clock;
  /** Older events are no news any more, ms. */
  readonly newsMs: number;
}

/** The name of the jobs that send one push message of a notice each. */
export const noticePushJob = 'pushNoticeToPhone';

/** Content of a notice. */
export type News = Omit<NoticeGiven['data'], 'noticeId' | 'phones' | 'givenAt'>;

/** News of no kind. */
export const none = { documentNumber: null, register: null, change: null, person: null } as const;

/** Tells a citizen on the phones there are that another one was enrolled, and on the new one of each of the others. */
export function createEnrolmentNotices(
  options: NoticeReactorOptions & { readonly deviceAggregates: Pick<Devices, 'load'> },
): Reactor {
  const name = 'noticeOfEnrolment';
  const give = giverOf(name, options);

  async function react(recorded: RecordedOf<'DeviceEnrolled'>): Promise<void> {
    const { civilId, documentNumber, pushToken, enrolledAt } = recorded.event.data;
    const news = { ...none, civilId, kind: 'DEVICE_ENROLLED' } as const;
    const isOlder = async (phone: string) => {
      const { state } = await options.deviceAggregates.load(phone);
      return state.status !== 'NONE' && state.enrolled.enrolledAt < enrolledAt;
    };
    // Later ones tell of themselves.
    await give(recorded, { ...news, documentNumber }, { isTold: isOlder });
    for (const { documentNumber: other } of await options.devices.activeDevicesOf(civilId)) {
      if (!(await isOlder(other))) continue;
      const phones = [{ documentNumber, pushToken }];
      const topic = `${recorded.id} of ${other}`;
      await give(recorded, { ...news, documentNumber: other }, { phones, topic });
    }
  }

  const concern = { name, category: 'device', types: ['DeviceEnrolled'] } as const;
  return createRetryingReactor(concern, react, options);
}

/** Identity and recipients of a notice; default: one for this event, on all phones. */
interface Telling {
  readonly isTold?: (documentNumber: string) => Promise<boolean>;
  /** Phones to choose from; default: the active ones of the read model, which may not show a new one yet. */
  readonly phones?: readonly Pick<DeviceData, 'documentNumber' | 'pushToken'>[];
  /** Same for events that one notice tells of; told once. */
  readonly topic?: string;
  /** Counts another notice. @returns false: the citizen has been told enough */
  readonly admits?: () => Promise<boolean>;
}

/** Gives a notice on the citizen's phones; none without a phone. */
export function giverOf(
  name: string,
  { notices, devices, jobs, clock, newsMs }: NoticeReactorOptions,
) {
  return async (
    { id, metadata }: RecordedEvent,
    news: News,
    { isTold, phones: candidates, topic = id, admits }: Telling = {},
  ): Promise<void> => {
    const now = clock.now();
    if (Date.parse(metadata.time) <= now.getTime() - newsMs) return;
    const { civilId } = news;
    const active = candidates ?? (await devices.activeDevicesOf(civilId));
    const isEachTold = await Promise.all(
      active.map(async (phone) => (await isTold?.(phone.documentNumber)) ?? true),
    );
    const told = active.filter((_phone, index) => isEachTold[index]);
    if (told.length === 0) return;
    const noticeId = uuidFrom(Buffer.from(`notice ${topic} ${civilId}`));
    if (admits !== undefined) {
      const { state } = await notices.load(noticeId);
      if (state.status === 'GIVEN' || !(await admits())) return;
    }
    const phones = told.map(({ documentNumber }) => documentNumber);
    const given = { ...news, noticeId, phones, givenAt: now.toISOString() };
    await notices.handle(noticeId, { type: 'GiveNotice', given }, asReactor(name, noticeId, id));
    for (const { documentNumber } of told.filter(({ pushToken }) => pushToken !== null)) {
      const job = `push:${noticeId}:${documentNumber}`;
      const payload = { noticeId, documentNumber };
      await jobs.enqueue({ name: noticePushJob, id: job, payload });
    }
  };
}

export interface NoticePushOptions extends DeliveryDependencies {
  readonly devices: Pick<DeviceReferenceData, 'device'>;
  readonly push: PushGateway;
  readonly accessLog: AccessLog;
  /** Called with each attempt that failed. */
  readonly onFailed: (cause: unknown) => void;
}

interface NoticePush {
  readonly noticeId: string;
  readonly documentNumber: string;
}

/** The handler of {@link noticePushJob}: sends, for a day, unless the phone was deactivated since. */
export function createNoticePushHandler(options: NoticePushOptions) {
  const { devices, push, accessLog, onFailed } = options;

  async function deliver({ noticeId, documentNumber }: NoticePush): Promise<void> {
    const device = await devices.device(documentNumber);
    if (device?.active !== true || device.pushToken === null) return;
    const { platform, pushToken } = device;
    try {
      await push.notify({ documentNumber, platform, pushToken, noticeId });
    } catch (error) {
      throw new Error(whyUntaken(error), { cause: error });
    }
  }

  return createDelivery<NoticePush>({
    ...options,
    kind: 'NOTICE',
    job: noticePushJob,
    idOf: ({ noticeId, documentNumber }) => `${noticeId}/${documentNumber}`,
    clientIdOf: () => null,
    deliver,
    onFailed: (_push, cause) => onFailed(cause),
    giveUp: async ({ noticeId, documentNumber }, { since: sentAt, givenUpAt }) => {
      const civilId = (await devices.device(documentNumber))?.civilId ?? null;
      const data = { noticeId, documentNumber, civilId, sentAt, givenUpAt };
      await accessLog(
        { type: 'NoticeUndelivered', data },
        asReactor(noticePushJob, noticeId, noticeId),
      );
    },
  }).attempt;
}

/** Reason at the bottom of an outage of the gateway. */
function whyUntaken(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  return root instanceof Error && root.message !== '' ? root.message : errorClass(root);
}
