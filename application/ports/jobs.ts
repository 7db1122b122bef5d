/** A job's payload: small, JSON, no personal data. */
export type JobPayload = Readonly<Record<string, string | number | boolean | null>>;

export interface Job {
  /** Names the work, as registered. */
  readonly name: string;
  /** Derived from the event that caused it: enqueuing the same id again changes nothing. */
  readonly id: string;
  readonly payload: JobPayload;
  /** Not before this; omitted: at once. */
  readonly runAt?: Date;
}

/**
 * Delayed and retried work, at least once. In-process or BullMQ; both pass `test/contracts/jobsContract.ts`.
 * A job that throws is tried again with growing delays; `attempts` exhausted is logged and counted.
 */
export interface Jobs {
  enqueue(job: Job): Promise<void>;
  /** Registers the handler of a job name; before `start`. */
  handle(name: string, handler: (payload: JobPayload) => Promise<void>): void;
  start(): Promise<void>;
  /** Finishes what is running, takes nothing new. */
  stop(): Promise<void>;
}
