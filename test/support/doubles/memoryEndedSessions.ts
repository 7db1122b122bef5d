import type { EndedSessions } from '../../../application/operator/ports/endedSessions.ts';

/** Ended sessions of all processes of a test. */
export function memoryEndedSessions(): EndedSessions {
  const ended = new Set<string>();
  return {
    end: (sessionId) => Promise.resolve(void ended.add(sessionId)),
    isEnded: (sessionId) => Promise.resolve(ended.has(sessionId)),
  };
}
