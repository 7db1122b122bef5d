import type { SessionStarted } from '../../domain/session/events.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeviceData, DeviceReferenceData } from '../ports/referenceData.ts';
import type { Job, JobPayload, Jobs } from './ports/jobs.ts';
import type { PushGateway } from './ports/push.ts';
import {
  createBatchReactor,
  type Reactor,
  type ReactorDependencies,
  type RecordedOf,
} from './reactor.ts';

type Started = RecordedOf<'SessionStarted'>;

export interface PushOptions extends ReactorDependencies {
  readonly devices: DeviceReferenceData;
  readonly jobs: Jobs;
  readonly clock: Clock;
}

/** The name of the jobs that send one push message each. */
export const pushJob = 'pushSessionToPhone';

/** Queues a push message to each phone that may answer a session that began, so that the citizen learns of it. */
export function createPushReactor(options: PushOptions): Reactor {
  const { devices, jobs, clock } = options;

  async function addressed(started: SessionStarted['data']): Promise<readonly DeviceData[]> {
    const { civilId, documentNumber } = started;
    if (documentNumber !== null) {
      const device = await devices.device(documentNumber);
      return device?.active === true ? [device] : [];
    }
    return civilId === null ? [] : devices.activeDevicesOf(civilId);
  }

  async function jobsOf({ id, event }: Started, now: string): Promise<readonly Job[]> {
    const { data } = event;
    if (data.flow !== 'NOTIFICATION') return [];
    const { sessionId, answerBefore } = data;
    if (answerBefore <= now) return [];
    const reachable = (await addressed(data)).filter(({ pushToken }) => pushToken !== null);
    return reachable.map(({ documentNumber }) => ({
      name: pushJob,
      id: `push:${id}:${documentNumber}`,
      payload: { sessionId, documentNumber, answerBefore },
    }));
  }

  async function react(events: readonly Started[]): Promise<void> {
    const now = clock.now().toISOString();
    const queued = (await Promise.all(events.map((event) => jobsOf(event, now)))).flat();
    await jobs.enqueue(...queued);
  }

  const concern = { name: pushJob, category: 'session', types: ['SessionStarted'] } as const;
  return createBatchReactor(concern, react, options);
}

export interface PushJobOptions {
  readonly devices: DeviceReferenceData;
  readonly push: PushGateway;
  readonly clock: Clock;
}

/** The handler of {@link pushJob}: sends, unless the session's time is up or the phone was deactivated since. */
export function createPushJobHandler({ devices, push, clock }: PushJobOptions) {
  return async (payload: JobPayload): Promise<void> => {
    const { sessionId, documentNumber, answerBefore } = payload as unknown as PushPayload;
    if (answerBefore <= clock.now().toISOString()) return;
    const device = await devices.device(documentNumber);
    if (device?.active !== true || device.pushToken === null) return;
    const { platform, pushToken } = device;
    await push.notify({ documentNumber, platform, pushToken, sessionId });
  };
}

interface PushPayload {
  readonly sessionId: string;
  readonly documentNumber: string;
  readonly answerBefore: string;
}
