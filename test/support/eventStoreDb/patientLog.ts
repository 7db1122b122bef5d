import {
  createEventStoreDbEventLog,
  type EventStoreDbEventLog,
} from '../../../infrastructure/eventstore/eventStoreDbEventLog.ts';

/**
 * A log whose calls wait as long as a test may last: its server shares the process, so that how busy the machine is
 * would decide what is answered within the time production allows.
 */
export function createPatientLog(url: string): EventStoreDbEventLog {
  return createEventStoreDbEventLog({ url, timeoutMs: 60_000 });
}
