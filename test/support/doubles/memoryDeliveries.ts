import type { FailedDelivery, Undelivered } from '../../../application/ports/undelivered.ts';
import type { Job, JobPayload, Jobs } from '../../../application/reactors/ports/jobs.ts';
import { manualClock } from './memoryPorts.ts';

/** Jobs that run by hand, each at its time, and the list of what was not delivered. */
export function memoryDeliveries() {
  const clock = manualClock();
  const queued: Job[] = [];
  const shown = new Map<string, FailedDelivery>();
  let handler: (payload: JobPayload) => Promise<void> = () => Promise.resolve();
  const jobs: Pick<Jobs, 'enqueue' | 'handle'> = {
    enqueue: (...added) => {
      queued.push(...added);
      return Promise.resolve();
    },
    handle: (_name, given) => {
      handler = given;
    },
  };
  const undelivered: Undelivered = {
    put: (delivery) => {
      shown.set(delivery.id, delivery);
      return Promise.resolve();
    },
    remove: (id) => {
      shown.delete(id);
      return Promise.resolve();
    },
  };
  /** Runs the next job at its time. @returns the wait for it, ms */
  const run = async () => {
    const job = queued.shift();
    if (job === undefined) throw new Error('Nothing is queued.');
    const wait = (job.runAt?.getTime() ?? 0) - clock.now().getTime();
    if (wait > 0) clock.advance(wait);
    await handler(job.payload);
    return wait;
  };
  return { clock, jobs, undelivered, queued, shown, run };
}
