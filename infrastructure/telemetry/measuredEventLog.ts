import type { LogDisturbances } from './logDisturbances.ts';
import type { EventLog } from '../../application/ports/eventLog.ts';
import type { Metrics } from './metrics.ts';

export interface MeasuredEventLogOptions {
  readonly metrics: Pick<Metrics, 'appended'>;
  readonly disturbances: Pick<LogDisturbances, 'noting'>;
}

/** Wraps a log to count and time its appends, and to note when it does not answer promptly. */
export function measuredEventLog(
  log: EventLog,
  { metrics, disturbances }: MeasuredEventLogOptions,
): EventLog {
  return {
    append: async (stream, events, expected) => {
      const started = performance.now();
      const appended = await disturbances.noting(() => log.append(stream, events, expected));
      metrics.appended(events.length, (performance.now() - started) / 1000);
      return appended;
    },
    read: (stream, from) => log.read(stream, from),
    subscribe: (options) => log.subscribe(options),
    head: () => disturbances.noting(() => log.head()),
  };
}
