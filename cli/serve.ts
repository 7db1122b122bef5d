import { setTimeout as pause } from 'node:timers/promises';
import { createConsoleService } from '../composition/console.ts';
import { readConfig } from '../infrastructure/config.ts';
import { isConsoleAlone } from '../infrastructure/consoleSettings.ts';
import { createService } from '../main.ts';

/** How long draining and closing may take, ms: less than the ten seconds Docker waits before it kills. */
const stopWithinMs = 9000;

/**
 * Runs the service until SIGTERM or SIGINT, then drains and closes. A second signal ends it at once. What is not closed
 * by then is left behind: everything acknowledged is durable, and a dependency that fell silent must not keep the process.
 */
export async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const service = isConsoleAlone(config) ? createConsoleService(config) : createService(config);
  const stopped = untilSignal();
  await service.start();
  await stopped;
  await Promise.race([service.stop(), pause(stopWithinMs)]);
  process.exit();
}

/** Resolves on the first SIGINT or SIGTERM; the next one is the system's again. */
export function untilSignal(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
  });
}
