import type { NotificationFeed } from '../ports/notifications.ts';

/** Steps of a request on its way to the citizen, in order: a phone got its number, opened it, shows its PIN field. */
export const sessionSteps = ['DELIVERED', 'OPENED', 'PIN_ENTRY'] as const;

export type SessionStep = (typeof sessionSteps)[number];

/**
 * Steps of running sessions, kept in memory and told between processes, never recorded: losing one costs a relying party a
 * hint, an event each would cost every session two appends.
 */
export interface SessionSteps {
  /** Called by the phone's calls, in whichever process. */
  reached(sessionId: string, step: SessionStep): void;
  /** The step that was reached at least; null: none is known. */
  of(sessionId: string): SessionStep | null;
}

/** Kind of the topics that tell of steps: `session-step:<id>:<step>`. */
const KIND = 'session-step';

/** Most sessions remembered, the latest: each for as long as others do not push it out. */
const REMEMBERED = 20_000;

export interface SessionStepsDependencies {
  readonly notifications: NotificationFeed;
  /** Tells the other processes; missing where there are none. */
  readonly tellOthers?: (topic: string) => void;
}

export function createSessionSteps({
  notifications,
  tellOthers,
}: SessionStepsDependencies): SessionSteps {
  const steps = new Map<string, SessionStep>();

  /** @returns whether this is news */
  function remember(sessionId: string, step: SessionStep): boolean {
    const known = steps.get(sessionId);
    if (known !== undefined && sessionSteps.indexOf(known) >= sessionSteps.indexOf(step)) {
      return false;
    }
    steps.set(sessionId, step);
    const [oldest] = steps.keys();
    if (steps.size > REMEMBERED && oldest !== undefined) steps.delete(oldest);
    return true;
  }

  notifications.subscribe([KIND], (topics) => {
    for (const topic of topics === 'all' ? [] : topics) {
      const [, sessionId = '', told] = topic.split(':');
      const step = sessionSteps.find((each) => each === told);
      if (step !== undefined) remember(sessionId, step);
    }
  });

  return {
    reached(sessionId, step) {
      if (remember(sessionId, step)) tellOthers?.(`${KIND}:${sessionId}:${step}`);
    },
    of: (sessionId) => steps.get(sessionId) ?? null,
  };
}
