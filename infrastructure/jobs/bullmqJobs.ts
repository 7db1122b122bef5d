import { DelayedError, type Job as QueuedJob, Queue, Worker } from 'bullmq';
import { isOfNewerRelease, Unavailable } from '../../application/ports/faults.ts';
import { pause } from '../../application/ports/follow.ts';
import { traced } from '../../application/ports/spans.ts';
import type { JobPayload, Jobs } from '../../application/reactors/ports/jobs.ts';
import { redisOptions } from '../redis/connection.ts';
import {
  defaultAttempts,
  defaultFirstDelayMs,
  defaultRememberedMs,
  type JobObserver,
  type RetentionOptions,
  retryDelay,
  type RetryOptions,
} from './retries.ts';

export interface BullmqJobsOptions extends RetryOptions, RetentionOptions, JobObserver {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  /** Separates platforms that share a Redis; default `tamga`. */
  readonly queueName?: string;
  /** Jobs running at once in this process; default 8. */
  readonly concurrency?: number;
  /** Ended jobs kept at most, however recent: Redis holds them in memory; default 200,000, about 200 MB. */
  readonly rememberedJobs?: number;
  /** Lease of a running job, milliseconds: after it another process takes the job over; default 30,000. */
  readonly leaseMs?: number;
  /** Timeout of Redis commands, milliseconds; default 2000. */
  readonly timeoutMs?: number;
  /** Time for running jobs to finish at shutdown, milliseconds; default 10,000. */
  readonly stopMs?: number;
}

/** {@link Jobs} on Redis with a health check. */
export interface BullmqJobs extends Jobs {
  /** @throws Unavailable(redis) */
  check(): Promise<void>;
}

/** {@link Jobs} by BullMQ, for installations of many processes. */
export function createBullmqJobs(options: BullmqJobsOptions): BullmqJobs {
  const { url, queueName = 'tamga', concurrency = 8, leaseMs = 30_000, timeoutMs = 2000 } = options;
  const { stopMs = 10_000, rememberedMs = defaultRememberedMs, rememberedJobs = 200_000 } = options;
  const remembered = { age: Math.ceil(rememberedMs / 1000), count: rememberedJobs };
  const { attempts = defaultAttempts, firstDelayMs = defaultFirstDelayMs } = options;
  const handlers = new Map<string, (payload: JobPayload) => Promise<void>>();
  let queue: Queue | undefined;
  let worker: Worker | undefined;
  let stopping = false;

  function openQueue(): Queue {
    stopping = false;
    if (queue === undefined) {
      queue = new Queue(queueName, {
        connection: {
          ...redisOptions(url, () => stopping),
          enableOfflineQueue: false,
          maxRetriesPerRequest: 1,
        },
        defaultJobOptions: {
          attempts,
          backoff: { type: 'custom' },
          removeOnComplete: remembered,
          removeOnFail: remembered,
        },
      });
      // The client reconnects by itself; calls fail meanwhile.
      queue.on('error', () => undefined);
    }
    return queue;
  }

  /** A command may still take effect after its timeout: job ids make retrying it idempotent. */
  async function inTime<T>(command: () => Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('Redis did not answer in time.')), timeoutMs);
    });
    try {
      return await Promise.race([command(), late]);
    } catch (error) {
      throw new Unavailable('redis', error);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Leaves a job to a process of a newer release, without counting the attempt. */
  async function leave(job: QueuedJob, token?: string): Promise<never> {
    await job.moveToDelayed(Date.now() + retryDelay(job.attemptsMade + 1, firstDelayMs), token);
    throw new DelayedError();
  }

  async function run(job: QueuedJob, token?: string): Promise<void> {
    const handler = handlers.get(job.name);
    if (handler === undefined) return leave(job, token);
    try {
      await traced('job', `job ${job.name}`, {}, async () => handler(job.data as JobPayload));
    } catch (error) {
      options.onTried?.(job.name, 'failed');
      if (!isOfNewerRelease(error)) throw error;
      return leave(job, token);
    }
    options.onTried?.(job.name, 'done');
  }

  function openWorker(): Worker {
    const opened = new Worker(queueName, run, {
      connection: { ...redisOptions(url, () => stopping), maxRetriesPerRequest: null },
      concurrency,
      lockDuration: leaseMs,
      stalledInterval: leaseMs,
      // A crashed process does not count as a failed attempt of its job.
      maxStalledCount: attempts,
      settings: { backoffStrategy: (tried: number) => retryDelay(tried, firstDelayMs) },
    });
    opened.on('error', () => undefined);
    opened.on('failed', (job, cause) => {
      if (job === undefined || job.attemptsMade < attempts) return;
      options.onGivenUp?.({ name: job.name, id: fromJobId(job.id ?? '') }, cause);
    });
    return opened;
  }

  return {
    async enqueue(...added) {
      if (added.length === 0) return;
      const now = Date.now();
      const bulk = added.map(({ id, name, payload: data, runAt }) => {
        const delay = Math.max(0, (runAt?.getTime() ?? now) - now);
        return { name, data, opts: { jobId: toJobId(id), delay } };
      });
      await inTime(() => openQueue().addBulk(bulk));
    },
    handle(name, handler) {
      handlers.set(name, handler);
    },
    start() {
      openQueue();
      worker ??= openWorker();
      return Promise.resolve();
    },
    async stop() {
      stopping = true;
      const closing = [worker, queue];
      worker = undefined;
      queue = undefined;
      // During an outage of Redis closing would hang; running jobs are taken over when their lease ends.
      const closed = Promise.allSettled(closing.map(async (each) => each?.close()));
      const settled = new AbortController();
      void closed.then(() => settled.abort());
      await pause(stopMs, settled.signal);
    },
    async check() {
      await inTime(async () => openQueue().isPaused());
    },
  };
}

/** BullMQ allows neither `:` nor plain numbers as ids. */
function toJobId(id: string): string {
  return `job-${encodeURIComponent(id)}`;
}

function fromJobId(jobId: string): string {
  return decodeURIComponent(jobId.slice('job-'.length));
}
