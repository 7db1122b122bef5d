import { type Job as QueuedJob, Queue, Worker } from 'bullmq';
import { Unavailable } from '../../application/ports/faults.ts';
import { pause } from '../../application/ports/follow.ts';
import type { JobPayload, Jobs } from '../../application/ports/jobs.ts';
import { redisOptions } from '../redis/connection.ts';
import {
  defaultAttempts,
  defaultFirstDelayMs,
  type JobObserver,
  retryDelay,
  type RetryOptions,
} from './retries.ts';

export interface BullmqJobsOptions extends RetryOptions, JobObserver {
  /** `redis://…` or `rediss://…`. */
  readonly url: string;
  /** Separates platforms that share a Redis; default `tamga`. */
  readonly queueName?: string;
  /** Jobs running at once in this process; default 8. */
  readonly concurrency?: number;
  /** Milliseconds after which a job whose process died is taken over; default 30,000. */
  readonly leaseMs?: number;
  /** Milliseconds Redis has to answer; default 2000. */
  readonly timeoutMs?: number;
  /** Milliseconds running jobs have to finish when stopping; default 10,000. */
  readonly stopMs?: number;
}

/** {@link Jobs} on Redis, and whether Redis answers. */
export interface BullmqJobs extends Jobs {
  /** @throws Unavailable(redis) */
  check(): Promise<void>;
}

/** Ended jobs are remembered this long, so that their ids are not run again, seconds. */
const rememberedSeconds = 3 * 24 * 3600;

/** {@link Jobs} by BullMQ, for installations where work is spread over many processes. */
export function createBullmqJobs(options: BullmqJobsOptions): BullmqJobs {
  const { url, queueName = 'tamga', concurrency = 8, leaseMs = 30_000, timeoutMs = 2000 } = options;
  const { stopMs = 10_000 } = options;
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
          removeOnComplete: { age: rememberedSeconds },
          removeOnFail: { age: rememberedSeconds },
        },
      });
      // Connections are made again by themselves; what fails meanwhile fails where it was asked for.
      queue.on('error', () => undefined);
    }
    return queue;
  }

  /** A command sent may still take effect after its time is up: ids make repeating it harmless. */
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

  async function run(job: QueuedJob): Promise<void> {
    try {
      await handlers.get(job.name)?.(job.data as JobPayload);
    } catch (error) {
      options.onTried?.(job.name, 'failed');
      throw error;
    }
    options.onTried?.(job.name, 'done');
  }

  function openWorker(): Worker {
    const opened = new Worker(queueName, run, {
      connection: { ...redisOptions(url, () => stopping), maxRetriesPerRequest: null },
      concurrency,
      lockDuration: leaseMs,
      stalledInterval: leaseMs,
      // A job is not to blame when its process dies; only its own failures count as tries.
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
    async enqueue({ id, name, payload, runAt }) {
      const delay = runAt === undefined ? 0 : Math.max(0, runAt.getTime() - Date.now());
      await inTime(() => openQueue().add(name, payload, { jobId: toJobId(id), delay }));
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
      // A Redis that is away cannot be told; what was running is taken over when its lease ends.
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

/** BullMQ allows neither `:` nor a mere number in an id. */
function toJobId(id: string): string {
  return `job-${encodeURIComponent(id)}`;
}

function fromJobId(jobId: string): string {
  return decodeURIComponent(jobId.slice('job-'.length));
}
