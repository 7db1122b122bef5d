import { setTimeout as delay } from 'node:timers/promises';
import { type Dependency, Unavailable } from '../../application/ports/faults.ts';
import { backOff, pause } from '../../application/ports/follow.ts';
import { createShutdownStack, type ShutdownStack } from './shutdownStack.ts';

export interface PatientStartOptions {
  /** Time to wait for dependencies that are unavailable or slow, ms; one attempt is made in any case. */
  readonly waitMs: number;
  /** Ends the waiting. */
  readonly signal: AbortSignal;
  /** Called with the reason before each wait. */
  readonly onWaiting: (cause: Error) => void;
}

/** Time for a failed attempt to close what it opened, ms; what is not closed by then is abandoned. */
const CLOSE_MS = 3000;

/** Settings that lead to what a start depends on, as an operator knows it. */
const settingsOf: Partial<Record<Dependency, string>> = {
  database: 'The database (SVC_DATABASE_URL) is not available.',
  eventStore: 'The event log (SVC_EVENTSTORE_URL, or else SVC_DATABASE_URL) is not available.',
  keyVault: 'The key vault (SVC_PKCS11_MODULE, SVC_PKCS11_TOKEN, SVC_PKCS11_PIN) is not available.',
};

/**
 * Runs a start until it succeeds. An attempt that fails is closed, newest first; it is repeated only after an outage.
 *
 * @throws the last failure; that of a dependency names its setting
 */
export async function startPatiently<Started>(
  attempt: (shutdown: ShutdownStack) => Promise<Started>,
  { waitMs, signal, onWaiting }: PatientStartOptions,
): Promise<Started> {
  const until = performance.now() + waitMs;
  for (let tries = 1; ; tries += 1) {
    const shutdown = createShutdownStack();
    try {
      return await attempt(shutdown);
    } catch (error) {
      await Promise.race([
        shutdown.stop().catch(() => undefined),
        delay(CLOSE_MS, undefined, { ref: false }),
      ]);
      const named = withSetting(error);
      const pauseMs = backOff(tries);
      if (!isPassing(error) || performance.now() + pauseMs > until) throw named;
      onWaiting(named);
      await pause(pauseMs, signal);
      if (signal.aborted) throw named;
    }
  }
}

/** The failure of a dependency with the setting that leads to it; any other error as it is. */
export function withSetting(error: unknown): Error {
  if (!(error instanceof Error)) return new Error(String(error));
  const text = error instanceof Unavailable ? settingsOf[error.dependency] : undefined;
  return text === undefined ? error : new Error(text, { cause: error.cause });
}

/** True of outages. A token is asked again only when it was slow: another attempt with a wrong PIN would lock it. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof Unavailable)) return false;
  if (error.dependency !== 'keyVault') return error.dependency in settingsOf;
  return error.cause instanceof Error && /(?:does|did) not answer/u.test(error.cause.message);
}
