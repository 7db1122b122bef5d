import { mayAnswer } from '../../domain/session/session.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeviceFact } from '../ports/facts.ts';
import type { SessionViews } from '../ports/sessionViews.ts';
import { inboxTopic, type Wake } from '../ports/wake.ts';
import type { Sessions } from '../session/sessions.ts';
import { answererOf } from './answerableSession.ts';

export interface InboxDependencies {
  readonly sessionViews: Pick<SessionViews, 'runningSessionsOf'>;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly wake: Wake;
  readonly clock: Clock;
}

export interface InboxRequest {
  /** How long to wait for something new, ms; 0: not at all. */
  readonly timeoutMs: number;
  /** Sessions the phone knows of already: they do not end the waiting. */
  readonly seen: readonly string[];
  /** Calls back when the caller is gone or the server stops; returns how to unregister. */
  readonly onGone: (callback: () => void) => () => void;
}

/**
 * Ids of the push sessions this phone may answer and does not know of, oldest first; waits for the first one. Empty
 * at the deadline, or when the caller is gone.
 */
export async function readInbox(
  dependencies: InboxDependencies,
  device: DeviceFact,
  { timeoutMs, seen, onGone }: InboxRequest,
): Promise<readonly string[]> {
  const deadline = deadlineOf(timeoutMs, onGone);
  try {
    for (;;) {
      const last = deadline.isOver();
      const found = await readOrWait(dependencies, device, { seen, ended: deadline.ended });
      if (found.length > 0 || last) return found;
    }
  } finally {
    deadline.cancel();
  }
}

/** What is unseen now; when nothing is, waits for a change and returns empty. */
async function readOrWait(
  dependencies: InboxDependencies,
  device: DeviceFact,
  { seen, ended }: { readonly seen: readonly string[]; readonly ended: Promise<void> },
): Promise<readonly string[]> {
  // Listening begins before reading, so that nothing between the two is missed.
  const listener = dependencies.wake.listen(inboxTopic(device.civilId));
  try {
    const found = await unseenSessions(dependencies, device, seen);
    if (found.length === 0) await Promise.race([listener.changed, ended]);
    return found;
  } finally {
    listener.cancel();
  }
}

function deadlineOf(timeoutMs: number, onGone: InboxRequest['onGone']) {
  let over = timeoutMs <= 0;
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = () => {
      over = true;
      resolve();
    };
  });
  if (over) end();
  const timer = setTimeout(end, timeoutMs);
  const unregister = onGone(end);
  return {
    isOver: () => over,
    ended,
    cancel: () => {
      clearTimeout(timer);
      unregister();
    },
  };
}

async function unseenSessions(
  { sessionViews, sessions, clock }: InboxDependencies,
  device: DeviceFact,
  seen: readonly string[],
): Promise<readonly string[]> {
  const by = answererOf(device);
  const listed = await sessionViews.runningSessionsOf(device.civilId, clock.now());
  const unseen: string[] = [];
  for (const id of listed) {
    if (seen.includes(id)) continue;
    // The view lags and does not know which device was meant.
    const { state } = await sessions.load(id);
    if (state.status === 'RUNNING' && mayAnswer(state, by)) unseen.push(id);
  }
  return unseen;
}
