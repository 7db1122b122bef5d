import type pg from 'pg';
import type { Jobs } from '../../application/ports/jobs.ts';
import type { WakeFeed } from '../../application/ports/wake.ts';
import { createBullmqJobs } from './bullmqJobs.ts';
import { createInProcessJobs } from './inProcessJobs.ts';
import type { JobObserver } from './retries.ts';

/** A job runner, and the checks of what it depends on beyond the database. */
export interface OpenedJobs {
  readonly jobs: Jobs;
  readonly checks: Readonly<Record<string, () => Promise<void>>>;
}

/** Jobs on BullMQ where there is a Redis, else kept in PostgreSQL and run in this process. */
export function openJobs(
  redisUrl: string | undefined,
  resources: { readonly pool: pg.Pool; readonly feed: WakeFeed },
  observer: JobObserver,
): OpenedJobs {
  if (redisUrl === undefined) {
    return { jobs: createInProcessJobs({ ...resources, ...observer }), checks: {} };
  }
  const jobs = createBullmqJobs({ url: redisUrl, ...observer });
  return { jobs, checks: { redis: () => jobs.check() } };
}
