import { pause } from '../ports/follow.ts';
import { ProviderFailure } from '../ports/providers.ts';

/** Milliseconds before the second and the third attempt; there is no fourth (contract §12, loop). */
const backOffMs = [500, 1000] as const;

export interface Retrying {
  readonly signal: AbortSignal;
  /** Told of every attempt that failed and is repeated now. */
  readonly onRetry: (failure: ProviderFailure) => void;
}

/**
 * Asks a provider up to three times: again after 429, 5xx and trouble of the network, while there is time.
 *
 * @throws ProviderFailure the last one, or the first that would not pass
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
