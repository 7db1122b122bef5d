import type { SessionEvent } from '../../domain/session/events.ts';
import {
  type CompleteSession,
  type Session,
  sessionDecider,
} from '../../domain/session/session.ts';
import { identifierOf } from '../../domain/shared/streams.ts';
import {
  type AggregateFollower,
  type ClearableCache,
  createAggregateFollower,
} from '../followAggregate.ts';
import type { EventStore } from '../ports/eventStore.ts';
import { sessionTopic, type NotificationSender } from '../ports/notifications.ts';
import type { Sessions } from './sessions.ts';

export interface FollowSessionsDependencies {
  readonly eventStore: EventStore;
  /** Cache of {@link Sessions}. */
  readonly cache: ClearableCache<Session>;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly notifications: NotificationSender & {
    /** Notifies every waiter. */
    notifyAll(): void;
    /** True while somebody waits for the topic. */
    isAwaited(topic: string): boolean;
  };
  /** Called for a completion that arrives, also one of this process, and perhaps more than once. */
  readonly onCompleted?: (session: CompleteSession) => void;
  /** Called once when following failed; it is retried. */
  readonly onFailure: (cause: unknown) => void;
}

/**
 * Keeps the sessions that this process remembers, or has a waiter for, up to date with the log, and notifies waiting
 * polls: while it follows, a poll may wait on a session cached as RUNNING, since its completion arrives here. All others
 * pass by undecoded.
 */
export function createSessionFollower(dependencies: FollowSessionsDependencies): AggregateFollower {
  const { eventStore, cache, sessions, notifications, onCompleted, onFailure } = dependencies;
  return createAggregateFollower<Session, SessionEvent>({
    eventStore,
    category: 'session',
    wants: (stream) =>
      cache.concerns(stream) || notifications.isAwaited(sessionTopic(identifierOf(stream))),
    decider: sessionDecider,
    cache,
    onFailure,
    // Completions may have been passed over.
    onBegunAnew: () => notifications.notifyAll(),
    reload: (id) => sessions.load(id, { trusts: () => false }),
    onChange: (streams) => {
      const complete = [...streams].flatMap((stream) => {
        const state = cache.get(stream)?.state;
        return state?.status === 'COMPLETE' ? [{ stream, state }] : [];
      });
      notifications.notify(complete.map(({ stream }) => sessionTopic(identifierOf(stream))));
      for (const { state } of complete) onCompleted?.(state);
    },
  });
}
