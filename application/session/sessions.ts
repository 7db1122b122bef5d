import type { SessionEvent } from '../../domain/session/events.ts';
import {
  type CompleteSession,
  type Session,
  type SessionCommand,
  sessionDecider,
} from '../../domain/session/session.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';
import { sessionTopic, type NotificationSender } from '../ports/notifications.ts';

/** The session aggregate bound to its store. */
export type Sessions = Aggregate<Session, SessionCommand, SessionEvent>;

export interface SessionsDependencies extends AggregateDependencies<Session> {
  readonly notifications: NotificationSender;
  /** Counts; called once for each session, in the process that completed it. */
  readonly onCompleted?: (session: CompleteSession) => void;
}

/**
 * Binds the session aggregate to its store; a completion notifies this process's waiting polls as soon as it is
 * durable.
 */
export function createSessions(dependencies: SessionsDependencies): Sessions {
  const { notifications, onCompleted } = dependencies;
  return createAggregate('session', sessionDecider, dependencies, (id, session) => {
    if (session.status !== 'COMPLETE') return;
    notifications.notify([sessionTopic(id)]);
    onCompleted?.(session);
  });
}
