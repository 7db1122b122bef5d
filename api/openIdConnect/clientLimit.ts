import { giveBackOfAddress } from '../../application/attempts.ts';
import { createRateLimit, RateLimited, type RateLimitOptions } from '../bounds/admission.ts';
import type { ClientLimit } from './ports/clientLimit.ts';

/**
 * Limit of requests per client and minute. Only requests of clients that proved who they are count, each once it is
 * answered: nobody uses up the minute of a client by naming it. A minute that is used up is remembered, so that further
 * requests are refused before any work, and count for their address: nobody has proved yet whose they are. Beside other
 * processes each may answer those already under way.
 */
export function createClientLimit(
  options: Omit<RateLimitOptions, 'of' | 'name'>,
  perMinute: number,
): ClientLimit {
  const limited = { ...options, of: 'of this client' };
  const limit = createRateLimit({ name: 'tamga:oidcClient', ...limited });
  /** End of the minute, ms since 1970, by key. */
  const usedUp = new Map<string, number>();

  async function left(key: string) {
    try {
      return await limit.consume(key, perMinute);
    } catch (error) {
      if (error instanceof RateLimited) return error.state;
      throw error;
    }
  }

  return {
    expectLeft(key) {
      const remaining = (usedUp.get(key) ?? 0) - Date.now();
      if (remaining > 0) throw new RateLimited(perMinute, remaining, limited);
    },
    async count(key) {
      giveBackOfAddress();
      const { remaining, resetsInMs } = await left(key);
      if (remaining === 0) usedUp.set(key, Date.now() + resetsInMs);
      else usedUp.delete(key);
    },
  };
}
