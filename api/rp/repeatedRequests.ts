import { createHash } from 'node:crypto';
import type { Clock } from '../../application/ports/clock.ts';

/** Window of an idempotent retry, ms (contract §2). */
const WINDOW_MS = 15_000;
const MAX_REMEMBERED = 20_000;

/**
 * Detects retries of session-creating requests, typically after a lost response: same relying
 * party, path and body bytes within 15 seconds share one response. Remembered in this process only
 * and for a bounded number of requests: a retry sent to another process starts a second session.
 */
export interface RepeatedRequests<Answer> {
  /** @param isCurrent true when an earlier response may be repeated */
  share(
    request: { readonly relyingPartyId: string; readonly path: string; readonly body: Buffer },
    start: () => Promise<Answer>,
    isCurrent: (answer: Answer) => Promise<boolean>,
  ): Promise<Answer>;
}

export function createRepeatedRequests<Answer>(clock: Clock): RepeatedRequests<Answer> {
  const remembered = new Map<string, { readonly answer: Promise<Answer>; readonly at: number }>();

  function forgetOld(now: number) {
    for (const [key, { at }] of remembered) {
      if (now - at < WINDOW_MS && remembered.size < MAX_REMEMBERED) return;
      remembered.delete(key);
    }
  }

  return {
    share: async ({ relyingPartyId, path, body }, start, isCurrent) => {
      const now = clock.now().getTime();
      const key = createHash('sha256')
        .update(`${relyingPartyId}\n${path}\n`)
        .update(body)
        .digest('base64');
      forgetOld(now);
      const before = remembered.get(key);
      if (before !== undefined) {
        const answer = await before.answer;
        if (await isCurrent(answer)) return answer;
      }
      // Concurrent retries that find the response outdated share one restart.
      const replaced = remembered.get(key);
      if (replaced !== undefined && replaced !== before) return replaced.answer;
      const answer = start();
      remembered.delete(key);
      remembered.set(key, { answer, at: now });
      answer.catch(() => remembered.delete(key));
      return answer;
    },
  };
}
