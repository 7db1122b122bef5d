import type { EventLog } from '../../application/ports/eventLog.ts';
import type { Metrics } from './metrics.ts';

/** Wraps a log to count and time its appends. */
export function measuredEventLog(log: EventLog, metrics: Pick<Metrics, 'appended'>): EventLog {
  return {
    append: async (stream, events, expected) => {
      const started = performance.now();
      const appended = await log.append(stream, events, expected);
      metrics.appended(events.length, (performance.now() - started) / 1000);
      return appended;
    },
    read: (stream, from) => log.read(stream, from),
    subscribe: (options) => log.subscribe(options),
    head: () => log.head(),
  };
}
