import { setTimeout as pause } from 'node:timers/promises';
import { createConsoleService } from '../composition/console.ts';
import { readConfig } from '../infrastructure/config/config.ts';
import { isConsoleAlone } from '../infrastructure/config/consoleSettings.ts';
import { createService } from '../main.ts';

/** Time for draining and closing, ms: below the ten seconds after which Docker kills. */
const stopWithinMs = 9000;

/**
 * Runs the service until SIGTERM or SIGINT, then drains and closes. A second signal ends it at
 * once. Anything not closed by then is abandoned: everything acknowledged is durable, and an
 * unresponsive dependency must not keep the process.
 *
 * @throws the error of a failed start, after everything started was stopped
 */
export async function serve(): Promise<void> {
  const config = readConfig(process.env);
  const service = isConsoleAlone(config) ? createConsoleService(config) : createService(config);
  const signal = untilSignal();
  const started = service.start();
  // A start that waits for a dependency is interrupted, too.
  await Promise.race([started, signal]);
  await signal;
  await Promise.race([service.stop(), pause(stopWithinMs)]);
  process.exit();
}

/** Resolves on the first SIGINT or SIGTERM; the next one has the system's default effect. */
export function untilSignal(): Promise<void> {
  return new Promise((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => done());
  });
}
