import type { SessionEvent } from '../../domain/session/events.ts';
import { type Session, sessionDecider } from '../../domain/session/session.ts';
import { identifierOf } from '../../domain/shared/streams.ts';
import { type AggregateFollower, createAggregateFollower } from '../followAggregate.ts';
import type { AggregateCache } from '../handleCommand.ts';
import type { EventStore } from '../ports/eventStore.ts';
import { sessionTopic, type WakeSender } from '../ports/wake.ts';
import type { Sessions } from './sessions.ts';

export interface FollowSessionsDependencies {
  readonly eventStore: EventStore;
  /** What {@link Sessions} remembers. */
  readonly cache: AggregateCache<Session>;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly wake: WakeSender;
  /** Following failed and is tried again; called once until it succeeds. */
  readonly onFailure: (cause: unknown) => void;
}

/**
 * Keeps what this process remembers of sessions as the log has it, and wakes the polls that wait for it: while it
 * follows, a session remembered as RUNNING may be waited on, since its completion comes through here.
 */
export function createSessionFollower(dependencies: FollowSessionsDependencies): AggregateFollower {
  const { eventStore, cache, sessions, wake, onFailure } = dependencies;
  return createAggregateFollower<Session, SessionEvent>({
    ...{ eventStore, category: 'session', decider: sessionDecider, cache, onFailure },
    reload: (id) => sessions.load(id, { trusts: () => false }),
    onChange: (streams) => {
      const complete = [...streams].filter(
        (stream) => cache.get(stream)?.state.status === 'COMPLETE',
      );
      wake.wake(complete.map((stream) => sessionTopic(identifierOf(stream))));
    },
  });
}
