import { mayAnswer } from '../../domain/session/session.ts';
import type { Clock } from '../ports/clock.ts';
import type { DeviceData } from '../ports/referenceData.ts';
import type { SessionViews } from '../ports/sessionViews.ts';
import { inboxTopic, type Notifications } from '../ports/notifications.ts';
import type { Sessions } from '../session/sessions.ts';
import { answererOf } from './sessionAnswer.ts';

export interface InboxDependencies {
  readonly sessionViews: Pick<SessionViews, 'runningSessionsOf'>;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly notifications: Notifications;
  readonly clock: Clock;
}

export interface InboxRequest {
  /** Time to wait for a new session, ms; 0: none. */
  readonly timeoutMs: number;
  /** Sessions already known to the phone, which do not end the wait. */
  readonly seen: readonly string[];
  /** Registers a callback for when the client disconnects or the server stops; returns the unregister function. */
  readonly onGone: (callback: () => void) => () => void;
}

/**
 * Ids of push sessions this phone may answer and does not know yet, oldest first; waits for the first one. Empty at the
 * timeout, or when the client disconnects.
 */
export async function readInbox(
  dependencies: InboxDependencies,
  device: DeviceData,
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

/** Returns the unseen sessions; without any, waits for a change and returns empty. */
async function readOrWait(
  dependencies: InboxDependencies,
  device: DeviceData,
  { seen, ended }: { readonly seen: readonly string[]; readonly ended: Promise<void> },
): Promise<readonly string[]> {
  // Listens before reading, so that no change in between is missed.
  const listener = dependencies.notifications.listen(inboxTopic(device.civilId));
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
  device: DeviceData,
  seen: readonly string[],
): Promise<readonly string[]> {
  const by = answererOf(device);
  const listed = await sessionViews.runningSessionsOf(device.civilId, clock.now());
  const unseen: string[] = [];
  for (const id of listed) {
    if (seen.includes(id)) continue;
    // The view lags and does not know the addressed device.
    const { state } = await sessions.load(id);
    if (state.status === 'RUNNING' && mayAnswer(state, by)) unseen.push(id);
  }
  return unseen;
}
