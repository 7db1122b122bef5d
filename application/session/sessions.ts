import type { SessionEvent } from '../../domain/session/events.ts';
import { type Session, type SessionCommand, sessionDecider } from '../../domain/session/session.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';
import { sessionTopic, type WakeSender } from '../ports/wake.ts';

/** The session aggregate bound to its store. */
export type Sessions = Aggregate<Session, SessionCommand, SessionEvent>;

/** Binds the session aggregate to its store; a completion wakes this process's waiting polls as soon as it is durable. */
export function createSessions(
  dependencies: AggregateDependencies<Session> & { readonly wake: WakeSender },
): Sessions {
  const aggregate = createAggregate('session', sessionDecider, dependencies);

  function waking(handle: Sessions['handle']): Sessions['handle'] {
    return async (id, command, context) => {
      const handled = await handle(id, command, context);
      if (handled.events.length > 0 && handled.state.status === 'COMPLETE') {
        dependencies.wake.wake([sessionTopic(id)]);
      }
      return handled;
    };
  }

  return {
    load: aggregate.load,
    handle: waking(aggregate.handle),
    handleNew: waking(aggregate.handleNew),
  };
}
