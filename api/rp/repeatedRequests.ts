import { createHash } from 'node:crypto';
import type { Clock } from '../../application/ports/clock.ts';

/** How long a repeated request is taken for the same one, ms (contract §2). */
const WINDOW_MS = 15_000;
const MAX_REMEMBERED = 20_000;

/**
 * Recognises a session-creating request sent twice, typically by a client that lost the first answer: same relying
 * party, path and body bytes within 15 seconds share one answer. Remembered in this process only and for a bounded
 * number of requests: a repetition that lands elsewhere starts a second session, as without it.
 */
export interface RepeatedRequests<Answer> {
  /** @param isCurrent whether an answer given before may be given again */
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
      // Among several that found the same answer outdated, the first starts anew and the others share its start.
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
