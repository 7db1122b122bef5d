import { type LogLostEvents, NotReady } from '../ports/faults.ts';
import type { Log } from '../ports/log.ts';

export interface LostEventsOptions {
  readonly log: Log;
  /** Counts it. */
  readonly onNoticed: () => void;
}

/** Alarm of a process that noticed that the log lost acknowledged events. */
export interface LostEvents {
  /** Logs, counts, and clears what is remembered. */
  noticed(cause: LogLostEvents): void;
  /** Registers what forgets state that may rest on lost events. */
  onNoticed(forget: () => void): void;
  /** For `/readyz`, until the process ends: rejects with NotReady once events were lost. */
  check(): Promise<void>;
}

export function createLostEvents({ log, onNoticed }: LostEventsOptions): LostEvents {
  const forgetting: (() => void)[] = [];
  let last: string | null = null;
  return {
    noticed(cause) {
      last = cause.message;
      log.error({ err: cause }, 'The event log lost events. See docs/operations.md, Failover.');
      onNoticed();
      for (const forget of forgetting) forget();
    },
    onNoticed: (forget) => void forgetting.push(forget),
    check: () => (last === null ? Promise.resolve() : Promise.reject(new NotReady(last))),
  };
}
