import type pg from 'pg';
import type { Jobs } from '../../application/reactors/ports/jobs.ts';
import type { NotificationFeed } from '../../application/ports/notifications.ts';
import { createInProcessJobs } from './inProcessJobs.ts';
import type { JobObserver } from './retries.ts';

/** A job runner and its health checks besides the database's. Their failure only degrades the process: jobs wait. */
export interface OpenedJobs {
  readonly jobs: Jobs;
  readonly partners: Readonly<Record<string, () => Promise<void>>>;
}

/** Jobs on BullMQ, loaded when Redis is configured, otherwise in PostgreSQL and this process. */
export async function openJobs(
  redisUrl: string | undefined,
  resources: { readonly pool: pg.Pool; readonly feed: NotificationFeed },
  observer: JobObserver,
): Promise<OpenedJobs> {
  if (redisUrl === undefined) {
    return { jobs: createInProcessJobs({ ...resources, ...observer }), partners: {} };
  }
  const { createBullmqJobs } = await import('./bullmqJobs.ts');
  const jobs = createBullmqJobs({ url: redisUrl, ...observer });
  return { jobs, partners: { redis: () => jobs.check() } };
}
