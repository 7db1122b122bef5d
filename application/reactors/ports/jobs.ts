/** A job's payload: small, JSON, no personal data. */
export type JobPayload = Readonly<Record<string, string | number | boolean | null>>;

export interface Job {
  /** Registered name of the job. */
  readonly name: string;
  /** Derived from the causing event: enqueuing the same id again has no effect until an hour after the job ended. */
  readonly id: string;
  readonly payload: JobPayload;
  /** Earliest time; omitted: at once. */
  readonly runAt?: Date;
}

/**
 * Delayed and retried jobs, executed at least once. In-process or BullMQ; both pass `test/contracts/jobsContract.ts`. A
 * job that throws is retried with growing delays; exhausted `attempts` are logged and counted.
 */
export interface Jobs {
  /** Enqueues all of them or none, in one round trip and with one notification. */
  enqueue(...jobs: readonly Job[]): Promise<void>;
  /** Registers the handler of a job name; before `start`. */
  handle(name: string, handler: (payload: JobPayload) => Promise<void>): void;
  start(): Promise<void>;
  /** Completes running jobs, starts no new ones. */
  stop(): Promise<void>;
}
