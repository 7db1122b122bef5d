import { pause } from '../ports/follow.ts';
import { ProviderFailure } from './ports/providers.ts';

/** Delays before the second and the third attempt, milliseconds; there is no fourth (contract §12, loop). */
const backOffMs = [500, 1000] as const;

export interface Retrying {
  readonly signal: AbortSignal;
  /** Called before each retry. */
  readonly onRetry: (failure: ProviderFailure) => void;
}

/**
 * Calls a provider up to three times: retries 429, 5xx and network errors while time remains.
 *
 * @throws ProviderFailure the last one, or the first permanent one
 */
export async function askWithRetries<T>(
  ask: () => Promise<T>,
  { signal, onRetry }: Retrying,
): Promise<T> {
  for (const delayMs of backOffMs) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ProviderFailure) || !error.isTransient) throw error;
      await pause(delayMs, signal);
      if (signal.aborted) throw error;
      onRetry(error);
    }
  }
  return ask();
}
