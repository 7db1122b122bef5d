import { useCallback, useEffect, useMemo, useState } from 'react';
import { createSpeaker } from '../../../../pages/speaker.ts';
import type { Language } from '../../shared/texts.ts';

/** Reads answers aloud, one at a time. */
export interface AnswerSpeaker {
  /** Index of the answer being read; null: none. */
  readonly speaking: number | null;
  /** True when the last answer could not be read. */
  readonly isSilent: boolean;
  speak(answer: number, text: string): void;
  stop(): void;
}

/**
 * Rate-limited together with questions (contract §12: ai 20/min), so several sentences share a
 * request.
 */
const ADDRESS = '/api/v1/ai/tts';

export function useSpeaker(lang: Language): AnswerSpeaker {
  const [speaking, setSpeaking] = useState<number | null>(null);
  const [isSilent, setSilent] = useState(false);
  const speaker = useMemo(
    () =>
      createSpeaker({
        ask: (text, signal) =>
          fetch(ADDRESS, {
            method: 'POST',
            credentials: 'same-origin',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ text }),
            signal,
          }),
        player: new Audio(),
        lang,
        shortestPart: 240,
      }),
    [lang],
  );
  const stop = useCallback(() => speaker.stop(), [speaker]);
  // Stops when the page is left.
  useEffect(() => stop, [stop]);
  return {
    speaking,
    isSilent,
    stop,
    speak: (answer, text) => {
      setSilent(false);
      void speaker.speak(text, {
        began: () => setSpeaking(answer),
        ended: () => setSpeaking((now) => (now === answer ? null : now)),
        failed: () => setSilent(true),
      });
    },
  };
}
