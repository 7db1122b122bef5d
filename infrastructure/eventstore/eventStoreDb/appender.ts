import { randomUUID } from 'node:crypto';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import type {
  Appended,
  EncodedEvent,
  ExpectedRevision,
} from '../../../application/ports/eventLog.ts';
import { Overloaded, Unavailable } from '../../../application/ports/faults.ts';
import type { BatchAppendCall, LeaderConnection } from './connection.ts';
import { appendFailure, type CallFailed, callFailure } from './outcomes.ts';
import {
  isLargerThanAnyServerTakes,
  mayBeStored,
  type PendingAppend,
  PendingAppends,
  refusalOf,
} from './pendingAppends.ts';
import { batchAppendRequest, createdAt, idOf, positionOf, streamRequest } from './protocol.ts';

export interface AppenderOptions {
  /** Appends waiting or in flight at most; beyond it `Overloaded`. */
  readonly queueLimit: number;
  /** Timeout of an append from now on, over changes of leader, ms. */
  readonly callTimeoutMs: () => number;
  /** Reason for the missing connection. */
  readonly lastFailure: () => CallFailed | null;
}

/** Sends appends to the current leader until each is acknowledged or its timeout passes. */
export interface Appender {
  append(
    stream: string,
    events: readonly EncodedEvent[],
    expected: ExpectedRevision,
  ): Promise<Appended>;
  /** Continues on this connection: resends the appends in flight on the previous one. */
  connected(connection: LeaderConnection): void;
  /** Refuses new appends; resolves when those accepted have been answered or timed out. */
  drain(): Promise<void>;
}

interface Sending {
  readonly call: BatchAppendCall;
  readonly connection: LeaderConnection;
  isFull: boolean;
}

/** Pause before retrying an append that the server was too busy for, ms. */
const REPEAT_AFTER_MS = 100;
/** Interval of the check for expired appends, ms. */
const EXPIRY_EVERY_MS = 100;
/** Clock difference allowed for when an append of unknown outcome is looked up from the time it was sent, ms. */
const CLOCK_SKEW_MS = 60_000;
const LOOKED_BACK = 500;
/** Longest wait for answers at shutdown, ms. */
const DRAIN_MS = 2000;

/** Creates the appender; it sends nothing before `connected`. */
export function createAppender(options: AppenderOptions): Appender {
  const { queueLimit, callTimeoutMs, lastFailure } = options;
  const pending = new PendingAppends();
  let sending: Sending | null = null;
  let expiry: NodeJS.Timeout | undefined;
  let drained: (() => void) | undefined;
  let draining: Promise<void> | undefined;

  function pump(): void {
    while (sending !== null && !sending.isFull) {
      const next = pending.next();
      if (next === undefined) return;
      if (mayBeStored(next)) void findOrTransmit(sending, next);
      else transmit(sending, next);
    }
  }

  function transmit(to: Sending, append: PendingAppend): void {
    const correlationId = randomUUID();
    pending.sent(correlationId, append, Date.now());
    const { stream, events, expected } = append;
    to.isFull = !to.call.write(batchAppendRequest(correlationId, stream, events, expected));
  }

  async function findOrTransmit(to: Sending, append: PendingAppend): Promise<void> {
    try {
      const earlier = await findStored(to.connection, append);
      if (earlier !== null) finish(append, earlier);
      else if (sending === to) transmit(to, append);
      else {
        pending.again(append);
        pump();
      }
    } catch (error) {
      again(append, callFailure(error));
    }
  }

  function answered({ connection }: Sending, response: Streams.BatchAppendResp): void {
    const correlationId = response.getCorrelationId()?.getString() ?? '';
    const append = pending.answered(correlationId, Date.now());
    if (append === undefined) return;
    const error = response.getError();
    if (error !== undefined) failed(connection, append, appendFailure(error.getMessage()));
    else void stored(connection, append, response.getSuccess());
    pump();
  }

  async function stored(
    connection: LeaderConnection,
    append: PendingAppend,
    success: Streams.BatchAppendResp.Success | undefined,
  ): Promise<void> {
    const revision = BigInt(success?.getCurrentRevision() ?? '0');
    const position = success?.getPosition()?.getCommitPosition();
    if (position !== undefined) {
      finish(append, { revision, position: BigInt(position) });
      return;
    }
    try {
      finish(append, await readBack(connection, append, revision));
    } catch (error) {
      again(append, callFailure(error));
    }
  }

  function failed(connection: LeaderConnection, append: PendingAppend, failure: CallFailed): void {
    const refusal = refusalOf(append, failure);
    if (refusal !== null) giveUp(append, refusal);
    else again(append, failure);
    if (failure.action === 'reconnect') connection.close(failure);
  }

  /** Retries an append after a pause unless its deadline has passed. */
  function again(append: PendingAppend, failure: CallFailed): void {
    append.lastFailure = failure;
    setTimeout(() => {
      pending.again(append);
      pump();
    }, REPEAT_AFTER_MS).unref();
  }

  function finish(append: PendingAppend, appended: Appended): void {
    append.resolve(appended);
    settled();
  }

  function giveUp(append: PendingAppend, error: Error): void {
    append.reject(error);
    settled();
  }

  function settled(): void {
    if (!pending.settled()) return;
    clearInterval(expiry);
    expiry = undefined;
    drained?.();
  }

  /** Gives up late appends; closes the connection when nothing was answered for too long. */
  function expire(): void {
    const timeout = appendFailure('Timeout');
    const unanswered = pending.unanswered(Date.now());
    if (unanswered.isSilent) sending?.connection.close(timeout);
    for (const append of unanswered.late) giveUp(append, tooLate(append));
    for (const append of unanswered.again) again(append, timeout);
  }

  function tooLate({ lastFailure: own }: PendingAppend): Unavailable {
    const reason = own ?? lastFailure() ?? new Error('The leader did not answer in time.');
    return new Unavailable('eventStore', reason);
  }

  return {
    append(stream, events, expected) {
      if (drained !== undefined) return Promise.reject(new Unavailable('eventStore'));
      if (isLargerThanAnyServerTakes(events)) {
        return Promise.reject(new Error('The event log refused the events: they are too large.'));
      }
      if (pending.accepted >= queueLimit) return Promise.reject(new Overloaded('appends'));
      expiry ??= setInterval(expire, EXPIRY_EVERY_MS).unref();
      return new Promise((resolve, reject) => {
        pending.accept({
          stream,
          events,
          expected,
          resolve,
          reject,
          until: Date.now() + callTimeoutMs(),
          firstSentAt: null,
          lastSentAt: null,
          lastFailure: null,
        });
        pump();
      });
    },
    connected(connection) {
      pending.reconnected();
      const call = connection.batchAppend();
      const opened: Sending = { call, connection, isFull: false };
      call.on('data', (response: Streams.BatchAppendResp) => answered(opened, response));
      call.on('error', (error) => connection.close(callFailure(error)));
      call.on('end', () => connection.close(appendFailure('Cancelled')));
      call.on('drain', () => {
        opened.isFull = false;
        pump();
      });
      sending = opened;
      pump();
    },
    drain() {
      draining ??= new Promise((resolve) => {
        drained = resolve;
        if (pending.accepted === 0) resolve();
        pending.deadline = Date.now() + DRAIN_MS;
      });
      return draining;
    },
  };
}

/** A write stored before is confirmed without its position until the index contains it. @throws CallFailed */
async function readBack(
  connection: LeaderConnection,
  { stream, until }: PendingAppend,
  revision: bigint,
): Promise<Appended> {
  const request = streamRequest(stream, revision, 1);
  const [event] = await connection.readAll(request, Math.max(until - Date.now(), 1));
  if (event === undefined) throw appendFailure('Timeout');
  return { revision, position: positionOf(event) };
}

/** Looks for the events of an append from the end of their stream back to when it was first sent. @throws CallFailed */
async function findStored(
  connection: LeaderConnection,
  { stream, events, firstSentAt, until }: PendingAppend,
): Promise<Appended | null> {
  const ids = new Set(events.map(({ id }) => id));
  const since = (firstSentAt ?? 0) - CLOCK_SKEW_MS;
  let from: 'end' | { readonly backwards: bigint } = 'end';
  for (;;) {
    const request = streamRequest(stream, from, LOOKED_BACK);
    const page = await connection.readAll(request, Math.max(until - Date.now(), 1));
    const last = page.find((event) => ids.has(idOf(event)));
    if (last !== undefined) {
      return { revision: BigInt(last.getStreamRevision()), position: positionOf(last) };
    }
    const oldest = page.at(-1);
    const revision = BigInt(oldest?.getStreamRevision() ?? '0');
    if (oldest === undefined || revision === 0n || createdAt(oldest) < since) return null;
    from = { backwards: revision - 1n };
  }
}
