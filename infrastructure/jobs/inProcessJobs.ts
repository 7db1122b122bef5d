import type pg from 'pg';
import { isOfNewerRelease } from '../../application/ports/faults.ts';
import { traced } from '../../application/ports/spans.ts';
import type { JobPayload, Jobs } from '../../application/reactors/ports/jobs.ts';
import type { NotificationFeed } from '../../application/ports/notifications.ts';
import { notificationChannel } from '../../application/ports/notifications.ts';
import { orUnavailable } from '../postgres/pool.ts';
import {
  defaultAttempts,
  defaultFirstDelayMs,
  defaultRememberedMs,
  type JobObserver,
  type RetentionOptions,
  retryDelay,
  type RetryOptions,
} from './retries.ts';

export interface InProcessJobsOptions extends RetryOptions, RetentionOptions, JobObserver {
  /** Pool of the database with the table `job`. */
  readonly pool: pg.Pool;
  /** Notifies of jobs enqueued by other processes. */
  readonly feed: NotificationFeed;
  /** Jobs running at once in this process; default 8. */
  readonly concurrency?: number;
  /** Lease of a running job, milliseconds: after it another process takes the job over; default 30,000. */
  readonly leaseMs?: number;
}

interface ClaimedJob {
  readonly id: string;
  readonly name: string;
  readonly payload: JobPayload;
  readonly attempts: number;
}

const topic = 'jobs';
/** Polling interval for due jobs, should a notification be lost, milliseconds. */
const longestSleepMs = 30_000;
/** Longest interval between removals of ended jobs, milliseconds. */
const longestPurgeMs = 60_000;
/** Ended jobs removed by one statement. */
const purgedAtOnce = 1000;

/**
 * {@link Jobs} stored in PostgreSQL and run by the platform's own processes. A running job is leased: when its process
 * dies, another takes it over after the lease.
 */
export function createInProcessJobs(options: InProcessJobsOptions): Jobs {
  const { pool, feed, concurrency = 8, leaseMs = 30_000 } = options;
  const { rememberedMs = defaultRememberedMs } = options;
  const { attempts: attemptsAtMost = defaultAttempts, firstDelayMs = defaultFirstDelayMs } =
    options;
  const handlers = new Map<string, (payload: JobPayload) => Promise<void>>();
  const running = new Map<string, Promise<void>>();
  let stopped = true;
  let looking: Promise<void> | undefined;
  let lookAgain = false;
  let timer: NodeJS.Timeout | undefined;
  let renewal: NodeJS.Timeout | undefined;
  let purging: NodeJS.Timeout | undefined;
  let purged: Promise<void> = Promise.resolve();
  let unsubscribe: () => void = () => undefined;

  async function claim(count: number): Promise<readonly ClaimedJob[]> {
    const { rows } = await pool.query<ClaimedJob>(
      // Of jobs due together the one that was enqueued first begins first.
      `with due as (
         select id, due_at, created_at from job
         where state = 'WAITING' and due_at <= now() and name = any($2)
         order by due_at, created_at, id limit $3 for update skip locked
       ), claimed as (
         update job set attempts = attempts + 1, due_at = now() + $1 * interval '1 millisecond'
         from due where job.id = due.id
         returning job.id, name, payload, attempts, due.due_at, due.created_at
       )
       select id, name, payload, attempts from claimed order by due_at, created_at, id`,
      [leaseMs, [...handlers.keys()], count],
    );
    return rows;
  }

  /** Milliseconds until the next job is due. */
  async function untilNext(): Promise<number> {
    const { rows } = await pool.query<{ ms: number | null }>(
      `select extract(epoch from min(due_at) - now())::float8 * 1000 as ms from job
       where state = 'WAITING' and name = any($1)`,
      [[...handlers.keys()]],
    );
    return Math.min(longestSleepMs, Math.max(1, rows[0]?.ms ?? longestSleepMs));
  }

  async function end(job: ClaimedJob, state: 'DONE' | 'FAILED', error: string | null) {
    await pool.query(
      `update job set state = $3, ended_at = now(), last_error = $4
       where id = $1 and attempts = $2 and state = 'WAITING'`,
      [job.id, job.attempts, state, error],
    );
  }

  /** @param counted false: the attempt is none of those that a job has */
  async function retryLater(job: ClaimedJob, error: string, counted: boolean) {
    await pool.query(
      `update job set due_at = now() + $3 * interval '1 millisecond', last_error = $4,
         attempts = attempts - $5
       where id = $1 and attempts = $2 and state = 'WAITING'`,
      [job.id, job.attempts, retryDelay(job.attempts, firstDelayMs), error, counted ? 0 : 1],
    );
  }

  async function run(job: ClaimedJob): Promise<void> {
    try {
      await traced('job', `job ${job.name}`, {}, async () => handlers.get(job.name)?.(job.payload));
    } catch (cause) {
      options.onTried?.(job.name, 'failed');
      const error = cause instanceof Error ? cause.name : 'Error';
      // One that rests on what a newer release wrote waits for a process of that one.
      if (isOfNewerRelease(cause)) return retryLater(job, error, false);
      if (job.attempts < attemptsAtMost) return retryLater(job, error, true);
      await end(job, 'FAILED', error);
      options.onGivenUp?.(job, cause);
      return;
    }
    options.onTried?.(job.name, 'done');
    await end(job, 'DONE', null);
  }

  function begin(job: ClaimedJob) {
    // A result that cannot be stored during an outage leaves the lease in place; the job runs again.
    const done = run(job)
      .catch(() => undefined)
      .finally(() => {
        running.delete(job.id);
        look();
      });
    running.set(job.id, done);
  }

  async function lookOnce() {
    const free = concurrency - running.size;
    if (free <= 0) return;
    const jobs = await claim(free);
    for (const job of jobs) begin(job);
    if (jobs.length < free) sleep(await untilNext());
  }

  function sleep(milliseconds: number) {
    clearTimeout(timer);
    if (!stopped) timer = setTimeout(look, milliseconds);
  }

  function look() {
    if (stopped) return;
    if (looking !== undefined) {
      lookAgain = true;
      return;
    }
    looking = lookOnce()
      .catch(() => sleep(1000))
      .finally(() => {
        looking = undefined;
        if (!lookAgain) return;
        lookAgain = false;
        look();
      });
  }

  async function renewLeases() {
    if (running.size === 0) return;
    await pool.query(
      `update job set due_at = now() + $1 * interval '1 millisecond'
       where id = any($2) and state = 'WAITING'`,
      [leaseMs, [...running.keys()]],
    );
  }

  /** Removes ended jobs in slices, each a short transaction; several processes may do so at once. */
  async function forgetEnded() {
    let removed = purgedAtOnce;
    while (removed === purgedAtOnce && !stopped) {
      const { rowCount } = await pool.query(
        `delete from job where id in (
           select id from job where ended_at < now() - $1 * interval '1 millisecond'
           order by ended_at limit $2 for update skip locked
         )`,
        [rememberedMs, purgedAtOnce],
      );
      removed = rowCount ?? 0;
    }
  }

  function purge() {
    purged = purged.then(forgetEnded).catch(() => undefined);
  }

  return {
    async enqueue(...added) {
      if (added.length === 0) return;
      await orUnavailable('database', () =>
        pool.query(
          `with added as (
             insert into job (id, name, payload, due_at)
             select id, name, payload, coalesce(due_at, now())
             from unnest($1::text[], $2::text[], $3::jsonb[], $4::timestamptz[])
               as each (id, name, payload, due_at)
             on conflict do nothing
             returning 1
           )
           select pg_notify($5, $6) where exists (select from added)`,
          [
            added.map(({ id }) => id),
            added.map(({ name }) => name),
            added.map(({ payload }) => JSON.stringify(payload)),
            added.map(({ runAt }) => runAt?.toISOString() ?? null),
            notificationChannel,
            topic,
          ],
        ),
      );
      look();
    },
    handle(name, handler) {
      handlers.set(name, handler);
    },
    start() {
      if (!stopped) return Promise.resolve();
      stopped = false;
      unsubscribe = feed.subscribe([topic], look);
      renewal = setInterval(() => {
        renewLeases().catch(() => undefined);
      }, leaseMs / 3);
      purging = setInterval(purge, Math.min(longestPurgeMs, rememberedMs));
      purge();
      look();
      return Promise.resolve();
    },
    async stop() {
      stopped = true;
      unsubscribe();
      clearTimeout(timer);
      clearInterval(purging);
      await Promise.all([looking, purged]);
      clearTimeout(timer);
      await Promise.all(running.values());
      clearInterval(renewal);
    },
  };
}
