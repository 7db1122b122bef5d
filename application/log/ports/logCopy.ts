import type { LogIdentity } from '../../../domain/logIdentity/logIdentity.ts';
import type { EventLog, LoggedEvent } from '../../ports/eventLog.ts';
import type { LogMovement } from './followedLog.ts';

/** Destination of a log copy. */
export interface CopyDestination extends Pick<EventLog, 'subscribe' | 'head'> {
  /**
   * Appends events of another log in this order, each at its own revision; resolved means durable.
   *
   * @throws RevisionConflict when a stream differs in length from the other log's
   * @throws Unavailable, Overloaded: the number of stored events is unknown
   */
  appendCopies(events: readonly LoggedEvent[]): Promise<void>;
}

/** Positions of one event in both logs. */
export interface MovedEvent {
  /** Index in either log, from 0: that of its leaf. */
  readonly index: number;
  readonly id: string;
  readonly source: bigint;
  readonly destination: bigint;
}

/**
 * Positions stored in the database, rewritten when the log is moved.
 *
 * @throws Unavailable(database) from every method
 */
export interface MovedPositions {
  /** Starts over: discards earlier additions, and records that the move has begun. */
  begin(move: LogMovement): Promise<void>;
  add(events: readonly MovedEvent[]): Promise<void>;
  /**
   * Replaces every stored position by that of the same event in the destination, and records the followed log,
   * atomically. No effect when that log is followed already.
   *
   * @throws Error when a checkpoint is after the added events
   */
  rewrite(followed: LogIdentity): Promise<void>;
}
