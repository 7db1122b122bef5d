import type { RunningPush } from './ports/pushRecords.ts';

/** A push of a relying party to a citizen, whose identifier is resolved. */
export interface Push extends RunningPush {
  readonly civilId: string;
}

interface Admitted extends Push {
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Pushes this process admitted lately, and sessions it saw end: pushes at once see each other, and read models that lag
 * behind hold nothing up.
 */
export interface PushesUnderWay {
  add(push: Push): void;
  /** @returns the push; undefined: not admitted here, or long ago */
  end(sessionId: string): Push | undefined;
  /** Running pushes: those of the read models that did not end meanwhile, and those they do not show yet. */
  known(civilId: string, seen?: readonly RunningPush[]): readonly RunningPush[];
}

/** @param keptMs time after which pushes and ends are forgotten */
export function createPushesUnderWay(keptMs: number, now: () => number): PushesUnderWay {
  /** In the order of admission. */
  const admitted = new Map<string, Admitted>();
  const ofCitizen = new Map<string, Map<string, Admitted>>();
  /** Moments by session, in their order, milliseconds since 1970. */
  const ended = new Map<string, number>();

  function drop(sessionId: string): Push | undefined {
    const push = admitted.get(sessionId);
    if (push === undefined) return undefined;
    admitted.delete(sessionId);
    const others = ofCitizen.get(push.civilId);
    others?.delete(sessionId);
    if (others?.size === 0) ofCitizen.delete(push.civilId);
    return push;
  }

  function forgetOld(at: number): void {
    for (const { sessionId, at: since } of admitted.values()) {
      if (since > at - keptMs) break;
      drop(sessionId);
    }
    for (const [sessionId, since] of ended) {
      if (since > at - keptMs) break;
      ended.delete(sessionId);
    }
  }

  return {
    add(push) {
      const at = now();
      forgetOld(at);
      const added = { ...push, at };
      admitted.set(push.sessionId, added);
      const others = ofCitizen.get(push.civilId) ?? new Map<string, Admitted>();
      ofCitizen.set(push.civilId, others.set(push.sessionId, added));
    },
    end(sessionId) {
      const at = now();
      forgetOld(at);
      if (!ended.has(sessionId)) ended.set(sessionId, at);
      return drop(sessionId);
    },
    known(civilId, seen = []) {
      forgetOld(now());
      const running = new Map<string, RunningPush>(ofCitizen.get(civilId));
      for (const push of seen) if (!ended.has(push.sessionId)) running.set(push.sessionId, push);
      return [...running.values()];
    },
  };
}
