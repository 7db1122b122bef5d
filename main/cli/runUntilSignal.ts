import { setTimeout as pause } from 'node:timers/promises';
import { createShutdownStack, type ShutdownStack } from '../composition/shutdownStack.ts';
import { endByForceAfter } from './endByForce.ts';

/** Time for draining and closing, ms: below the ten seconds after which Docker kills. */
const STOP_MS = 9000;
/** Time from then on for the process to end, ms. */
const EXIT_MS = 500;

/**
 * Starts a service and serves until SIGTERM or SIGINT, then drains, closes and ends the process. The
 * signal interrupts a start and the work, too; a second one ends the process at once. Anything not
 * closed in time is abandoned, and the process killed if a thread keeps it: everything acknowledged is
 * durable, and an unresponsive dependency must not keep the process.
 *
 * @param work done once the service is started; defers the stop of what it starts
 * @throws the error of a failed start or work, after everything started was stopped
 */
export async function runUntilSignal(
  service: { start(): Promise<void>; stop(): Promise<void> },
  work: (shutdown: ShutdownStack) => Promise<void> = () => Promise.resolve(),
  stopWithinMs = STOP_MS,
): Promise<void> {
  const shutdown = createShutdownStack();
  const signal = untilSignal();
  let isSignalled = false;
  shutdown.defer(() => service.stop());
  async function startAndWork(): Promise<void> {
    await service.start();
    if (!isSignalled) await work(shutdown);
  }
  try {
    await Promise.race([startAndWork(), signal]);
    await signal;
    isSignalled = true;
  } finally {
    endByForceAfter(stopWithinMs + EXIT_MS);
    await Promise.race([shutdown.stop(), pause(stopWithinMs)]);
  }
  process.exit();
}

/** Resolves on the first SIGINT or SIGTERM; the next one, of either, has the system's default effect. */
function untilSignal(): Promise<void> {
  const signals = ['SIGINT', 'SIGTERM'] as const;
  return new Promise((resolve) => {
    const end = () => {
      for (const signal of signals) process.off(signal, end);
      resolve();
    };
    for (const signal of signals) process.on(signal, end);
  });
}
