import { randomUUID } from 'node:crypto';
import type * as Streams from '@eventstore/db-client/generated/streams_pb.js';
import type {
  Appended,
  EncodedEvent,
  ExpectedRevision,
} from '../../../application/ports/eventLog.ts';
import { Overloaded, RevisionConflict, Unavailable } from '../../../application/ports/faults.ts';
import type { BatchAppendCall, LeaderConnection } from './connection.ts';
import { appendFailure, type CallFailed, callFailure, missingRight } from './outcomes.ts';
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

interface PendingAppend {
  readonly stream: string;
  readonly events: readonly EncodedEvent[];
  readonly expected: ExpectedRevision;
  readonly resolve: (appended: Appended) => void;
  readonly reject: (error: unknown) => void;
  /** Deadline, by `Date.now()`. */
  readonly until: number;
  /** Time of the first and the last send; `null`: not yet sent. */
  firstSentAt: number | null;
  lastSentAt: number | null;
  lastFailure: CallFailed | null;
}

interface Sending {
  readonly call: BatchAppendCall;
  readonly connection: LeaderConnection;
  /** By correlation id. */
  readonly inFlight: Map<string, PendingAppend>;
  isFull: boolean;
  /** Time of the last answer. */
  answeredAt: number;
}

/** Unacknowledged appends: enough to hide the round trip, few enough to resend quickly. */
const MAX_IN_FLIGHT = 512;
/** Pause before retrying an append that the server was too busy for, ms. */
const REPEAT_AFTER_MS = 100;
/** Interval of the check for expired appends, ms. */
const EXPIRY_EVERY_MS = 100;
/** Silence after which answers count as lost, ms: the server itself gives up a write after 2 s. */
const SILENCE_MS = 3000;
/** Clock difference allowed for when an append of unknown outcome is looked up from the time it was sent, ms. */
const CLOCK_SKEW_MS = 60_000;
const LOOKED_BACK = 500;
/** Longest wait for answers at shutdown, ms. */
const DRAIN_MS = 2000;

/** Creates the appender; it sends nothing before `connected`. */
export function createAppender(options: AppenderOptions): Appender {
  const { queueLimit, callTimeoutMs, lastFailure } = options;
  let queue: PendingAppend[] = [];
  let accepted = 0;
  let sending: Sending | null = null;
  let expiry: NodeJS.Timeout | undefined;
  let drained: (() => void) | undefined;
  let draining: Promise<void> | undefined;
  /** Deadline for answers at shutdown. */
  let drainUntil = Infinity;

  function settled(): void {
    accepted -= 1;
    if (accepted > 0) return;
    clearInterval(expiry);
    expiry = undefined;
    drained?.();
  }

  function pump(): void {
    while (sending !== null && hasRoom(sending)) {
      const next = queue.shift();
      if (next === undefined) return;
      send(sending, next);
    }
  }

  /**
   * A resent append may have been stored already. With expected revision `any` the server may not recognise it, least
   * of all a new leader, so the stream is read first; any other expected revision guards itself.
   */
  function send(to: Sending, append: PendingAppend): void {
    if (append.expected === 'any' && append.firstSentAt !== null) {
      void findOrTransmit(to, append);
    } else {
      transmit(to, append);
    }
  }

  function transmit(to: Sending, append: PendingAppend): void {
    const correlationId = randomUUID();
    append.lastSentAt = Date.now();
    append.firstSentAt ??= append.lastSentAt;
    to.inFlight.set(correlationId, append);
    const { stream, events, expected } = append;
    to.isFull = !to.call.write(batchAppendRequest(correlationId, stream, events, expected));
  }

  function answered(from: Sending, response: Streams.BatchAppendResp): void {
    const correlationId = response.getCorrelationId()?.getString() ?? '';
    const append = from.inFlight.get(correlationId);
    if (append === undefined) return;
    from.inFlight.delete(correlationId);
    from.answeredAt = Date.now();
    const error = response.getError();
    if (error !== undefined) failed(from, append, appendFailure(error.getMessage()));
    else void stored(from, append, response.getSuccess());
    pump();
  }

  async function stored(
    { connection }: Sending,
    append: PendingAppend,
    success: Streams.BatchAppendResp.Success | undefined,
  ): Promise<void> {
    const revision = BigInt(success?.getCurrentRevision() ?? '0');
    const position = success?.getPosition()?.getCommitPosition();
    if (position !== undefined) {
      finish(append, { revision, position: BigInt(position) });
      return;
    }
    // A write stored before is confirmed without its position until the index contains it.
    try {
      const [event] = await connection.readAll(
        streamRequest(append.stream, revision, 1),
        Math.max(append.until - Date.now(), 1),
      );
      if (event === undefined) throw appendFailure('Timeout');
      finish(append, { revision, position: positionOf(event) });
    } catch (error) {
      again(append, callFailure(error));
    }
  }

  function failed({ connection }: Sending, append: PendingAppend, failure: CallFailed): void {
    switch (failure.action) {
      case 'conflict':
        giveUp(append, new RevisionConflict(append.stream));
        return;
      case 'refused':
      case 'invalidPosition':
        giveUp(append, new Error('The event log refused the events.', { cause: failure }));
        return;
      case 'denied':
        giveUp(
          append,
          new Unavailable('eventStore', missingRight('write', append.stream, failure)),
        );
        return;
      case 'repeat':
        again(append, failure);
        return;
      case 'reconnect':
        again(append, failure);
        connection.close(failure);
    }
  }

  /** Retries an append after a pause unless its deadline has passed. */
  function again(append: PendingAppend, failure: CallFailed): void {
    append.lastFailure = failure;
    setTimeout(() => {
      queue.push(append);
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

  function isOver({ until }: PendingAppend, now: number): boolean {
    return Math.min(until, drainUntil) <= now;
  }

  function expire(): void {
    const now = Date.now();
    const late = queue.filter((append) => isOver(append, now));
    if (late.length > 0) queue = queue.filter((append) => !isOver(append, now));
    for (const append of [...late, ...(sending === null ? [] : takeSilent(sending, now))]) {
      if (isOver(append, now)) giveUp(append, tooLate(append));
      else again(append, appendFailure('Timeout'));
    }
  }

  /** Removes unanswered appends; closes the connection when nothing was answered for too long. */
  function takeSilent({ inFlight, connection, answeredAt }: Sending, now: number) {
    const silent: PendingAppend[] = [];
    for (const [correlationId, append] of inFlight) {
      const sentAt = append.lastSentAt ?? now;
      if (!isOver(append, now) && sentAt + SILENCE_MS > now) continue;
      inFlight.delete(correlationId);
      silent.push(append);
      if (sentAt > answeredAt) connection.close(appendFailure('Timeout'));
    }
    return silent;
  }

  function tooLate({ lastFailure: own }: PendingAppend): Unavailable {
    const reason = own ?? lastFailure() ?? new Error('The leader did not answer in time.');
    return new Unavailable('eventStore', reason);
  }

  async function findOrTransmit(to: Sending, append: PendingAppend): Promise<void> {
    try {
      const earlier = await findStored(to.connection, append);
      if (earlier !== null) finish(append, earlier);
      else if (sending === to) transmit(to, append);
      else {
        queue.push(append);
        pump();
      }
    } catch (error) {
      again(append, callFailure(error));
    }
  }

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

  return {
    append(stream, events, expected) {
      if (drained !== undefined) return Promise.reject(new Unavailable('eventStore'));
      if (isLargerThanAnyServerTakes(events)) {
        return Promise.reject(new Error('The event log refused the events: they are too large.'));
      }
      if (accepted >= queueLimit) return Promise.reject(new Overloaded('appends'));
      accepted += 1;
      expiry ??= setInterval(expire, EXPIRY_EVERY_MS).unref();
      return new Promise((resolve, reject) => {
        const until = Date.now() + callTimeoutMs();
        const pending = { stream, events, expected, resolve, reject, until };
        queue.push(
          Object.assign(pending, { firstSentAt: null, lastSentAt: null, lastFailure: null }),
        );
        pump();
      });
    },
    connected(connection) {
      // Requeued in order: their answers may have been lost.
      queue.unshift(...(sending?.inFlight.values() ?? []));
      sending?.inFlight.clear();
      const call = connection.batchAppend();
      const opened: Sending = {
        call,
        connection,
        inFlight: new Map(),
        isFull: false,
        answeredAt: 0,
      };
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
        if (accepted === 0) resolve();
        drainUntil = Date.now() + DRAIN_MS;
      });
      return draining;
    },
  };
}

/** A message beyond 16 MiB would break the stream shared by all appends instead of being refused. */
const MAX_APPEND_BYTES = 15 * 1024 * 1024;

function isLargerThanAnyServerTakes(events: readonly EncodedEvent[]): boolean {
  const units = events.reduce((sum, { data, metadata }) => sum + data.length + metadata.length, 0);
  if (units < MAX_APPEND_BYTES / 3) return false;
  const bytes = events.reduce(
    (sum, { data, metadata }) => sum + Buffer.byteLength(data) + Buffer.byteLength(metadata),
    0,
  );
  return bytes > MAX_APPEND_BYTES;
}

function hasRoom({ isFull, inFlight }: Sending): boolean {
  return !isFull && inFlight.size < MAX_IN_FLIGHT;
}
