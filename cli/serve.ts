import { readConfig } from '../infrastructure/config.ts';
import { createService } from '../main.ts';

/** Runs the service until SIGTERM or SIGINT, then drains and closes. A second signal ends it at once. */
export async function serve(): Promise<void> {
  const service = createService(readConfig(process.env));
  const stopped = untilSignal();
  await service.start();
  await stopped;
  await service.stop();
}

/** Resolves on the first SIGINT or SIGTERM; the next one is the system's again. */
export function untilSignal(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
  });
}
