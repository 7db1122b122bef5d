import { compareIdentity } from '../../domain/logIdentity/compareIdentity.ts';
import type { LogIdentityEvent } from '../../domain/logIdentity/events.ts';
import {
  LOG_IDENTITY,
  type LogIdentityCommand,
  logIdentityDecider,
  type LogState,
} from '../../domain/logIdentity/logIdentity.ts';
import {
  type Aggregate,
  type AggregateDependencies,
  type CommandContext,
  createAggregate,
} from '../handleCommand.ts';
import type { EventLog } from '../ports/eventLog.ts';
import { Unavailable, WrongLog } from '../ports/faults.ts';
import { follow } from '../ports/follow.ts';
import { isDestination } from './movement.ts';
import type { FollowedLog } from './ports/followedLog.ts';

export interface VerifyLogDependencies extends AggregateDependencies<LogState> {
  readonly eventLog: Pick<EventLog, 'head' | 'subscribe'>;
  readonly followedLog: FollowedLog;
  /** Address of the log, without credentials. */
  readonly logAddress: string;
  /** Of the key that this process would wrap persons' keys with. */
  readonly wrappingKeyFingerprint: string;
}

/** The log's identity, bound to its store. */
export type LogIdentities = Aggregate<LogState, LogIdentityCommand, LogIdentityEvent>;

/** Time limit for finding out whether the log is empty, ms. */
const EMPTINESS_MS = 30_000;

/** Context of the program's own commands. */
export const logContext: CommandContext = {
  actor: { kind: 'system', id: 'log identity' },
  correlationId: 'log identity',
  causationId: 'log identity',
  requestId: null,
  ip: null,
};

/**
 * Returns the check that log and database belong together. It may be repeated at any time, and costs a few small reads.
 * The first one on a log without identity writes it, and the first one on a database remembers it.
 *
 * The check throws
 *
 * - WrongLog when they do not belong together: nothing was appended then
 * - Unavailable when the log or the database does not answer
 */
export function createLogVerification(dependencies: VerifyLogDependencies): () => Promise<void> {
  const { eventLog, followedLog, randomness, logAddress, wrappingKeyFingerprint } = dependencies;
  const identities: LogIdentities = createAggregate('log', logIdentityDecider, dependencies);

  async function compared() {
    // Read before the head: other processes append first, then update the database.
    const { move, ...remembered } = await followedLog.load();
    let { state: log } = await identities.load(LOG_IDENTITY);
    const isLogEmpty = log === null && (await isEmpty(eventLog));
    // The first event may be the identity, just written by another process.
    if (log === null && !isLogEmpty) log = (await identities.load(LOG_IDENTITY)).state;
    const head = await eventLog.head();
    const refusal = compareIdentity({
      ...remembered,
      log,
      isLogEmpty,
      head,
      wrappingKeyFingerprint,
      moveToHere: move !== null && isDestination(move, logAddress) ? move : null,
    });
    if (refusal !== null) throw new WrongLog(refusal);
    return { log, followed: remembered.followed };
  }

  async function settle(): Promise<void> {
    if ((await compared()).log === null) {
      const installationId = randomness.uuid();
      const identity = { installationId, epoch: 1, wrappingKeyFingerprint };
      await identities.handle(LOG_IDENTITY, { type: 'Establish', identity }, logContext);
    }
    // Another installation may have written concurrently: compares the result like an existing identity.
    const { log, followed } = await compared();
    if (log !== null && followed === null) await followedLog.keep(log);
  }

  return async () => {
    const { log, followed } = await compared();
    if (log === null || followed === null) await followedLog.withLock(settle);
  };
}

/** Determined by reading from the beginning: the head may be an event of the server. */
async function isEmpty(eventLog: Pick<EventLog, 'subscribe'>): Promise<boolean> {
  const known = new AbortController();
  let holdsEvents = false;
  await follow(
    eventLog,
    {
      after: null,
      maxBatch: 1,
      onBatch: (events) => {
        holdsEvents ||= events.length > 0;
        if (holdsEvents) known.abort();
        return Promise.resolve();
      },
      onCaughtUp: () => known.abort(),
    },
    AbortSignal.any([known.signal, AbortSignal.timeout(EMPTINESS_MS)]),
  );
  if (!known.signal.aborted) throw new Unavailable('eventStore');
  return !holdsEvents;
}
