import type { DeviceEvent } from '../../domain/device/events.ts';
import type { NoticeGiven, RightChange } from '../../domain/notice/events.ts';
import type { RepresentationEvent } from '../../domain/representation/events.ts';
import { adminsOf } from '../../domain/representation/representation.ts';
import { uuidFrom } from '../../domain/shared/digest.ts';
import type { Devices, Notices } from '../aggregates.ts';
import type { Representations } from '../organization/organizations.ts';
import type { Clock } from '../ports/clock.ts';
import type { RecordedEvent } from '../ports/eventStore.ts';
import type { DeviceReferenceData } from '../ports/referenceData.ts';
import type { JobPayload, Jobs } from './ports/jobs.ts';
import type { PushGateway } from './ports/push.ts';
import {
  asReactor,
  createRetryingReactor,
  type Reactor,
  type ReactorDependencies,
} from './reactor.ts';

export interface NoticeReactorOptions extends ReactorDependencies {
  readonly notices: Notices;
  readonly representations: Pick<Representations, 'load'>;
  readonly devices: DeviceReferenceData;
  readonly deviceAggregates: Pick<Devices, 'load'>;
  readonly jobs: Jobs;
  readonly clock: Clock;
  /** Older events are no news any more, ms. */
  readonly newsMs: number;
}

/** The name of the jobs that send one push message of a notice each. */
export const noticePushJob = 'pushNoticeToPhone';

type News = Omit<NoticeGiven['data'], 'noticeId' | 'phones' | 'givenAt'>;

const none = { documentNumber: null, register: null, change: null, person: null } as const;

/** Tells a citizen on the phones there are that another one was enrolled, and on the new one of each of the others. */
export function createEnrolmentNotices(options: NoticeReactorOptions): Reactor {
  const name = 'noticeOfEnrolment';
  const give = giverOf(name, options);

  async function react(recorded: RecordedEvent): Promise<void> {
    const { type, data } = recorded.event as DeviceEvent;
    if (type !== 'DeviceEnrolled') return;
    const { civilId, documentNumber, enrolledAt } = data;
    const news = { ...none, civilId, kind: 'DEVICE_ENROLLED' } as const;
    const isOlder = async (phone: string) => {
      const { state } = await options.deviceAggregates.load(phone);
      return state.status !== 'NONE' && state.enrolled.enrolledAt < enrolledAt;
    };
    // Later ones tell of themselves.
    await give(recorded, { ...news, documentNumber }, isOlder);
    for (const { documentNumber: other } of await options.devices.activeDevicesOf(civilId)) {
      if (!(await isOlder(other))) continue;
      const isNew = (phone: string) => Promise.resolve(phone === documentNumber);
      await give(recorded, { ...news, documentNumber: other }, isNew, ` of ${other}`);
    }
  }

  return createRetryingReactor(name, 'device', react, options);
}

/**
 * Notifies the ADMINs of an organization of every change of another person's right, and a person of the loss of their
 * own.
 */
export function createRightNotices(options: NoticeReactorOptions): Reactor {
  const name = 'noticeOfRightChange';
  const give = giverOf(name, options);

  async function react(recorded: RecordedEvent): Promise<void> {
    const event = recorded.event as RepresentationEvent;
    const { register, civilId: person } = event.data;
    const change = changes[event.type];
    const { state } = await options.representations.load(register);
    const now = options.clock.now().toISOString();
    const others = adminsOf(state, now).filter((civilId) => civilId !== person);
    for (const civilId of change === 'WITHDRAWN' ? [person, ...others] : others) {
      await give(recorded, { ...none, civilId, kind: 'RIGHT_CHANGED', register, change, person });
    }
  }

  return createRetryingReactor(name, 'representation', react, options);
}

const changes: Readonly<Record<RepresentationEvent['type'], RightChange>> = {
  RightGranted: 'GRANTED',
  RightRequested: 'REQUESTED',
  RightConfirmed: 'GRANTED',
  SignerInvited: 'INVITED',
  SignerConfirmed: 'GRANTED',
  RightWithdrawn: 'WITHDRAWN',
};

/** Gives a notice on the citizen's phones; none without a phone. `distinction` tells notices of one event apart. */
function giverOf(name: string, { notices, devices, jobs, clock, newsMs }: NoticeReactorOptions) {
  return async (
    { id, metadata }: RecordedEvent,
    news: News,
    isTold: (documentNumber: string) => Promise<boolean> = () => Promise.resolve(true),
    distinction = '',
  ): Promise<void> => {
    const now = clock.now();
    if (Date.parse(metadata.time) <= now.getTime() - newsMs) return;
    const { civilId } = news;
    const active = await devices.activeDevicesOf(civilId);
    const isEachTold = await Promise.all(active.map((phone) => isTold(phone.documentNumber)));
    const told = active.filter((_phone, index) => isEachTold[index]);
    if (told.length === 0) return;
    const noticeId = uuidFrom(Buffer.from(`notice ${id} ${civilId}${distinction}`));
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

/** The handler of {@link noticePushJob}: sends, unless the phone was deactivated since. */
export function createNoticePushHandler({
  devices,
  push,
}: {
  readonly devices: DeviceReferenceData;
  readonly push: PushGateway;
}) {
  return async (payload: JobPayload): Promise<void> => {
    const { noticeId, documentNumber } = payload as unknown as NoticePayload;
    const device = await devices.device(documentNumber);
    if (device?.active !== true || device.pushToken === null) return;
    const { platform, pushToken } = device;
    await push.notify({ documentNumber, platform, pushToken, noticeId });
  };
}

interface NoticePayload {
  readonly noticeId: string;
  readonly documentNumber: string;
}
