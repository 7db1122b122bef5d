import { setTimeout as pause } from 'node:timers/promises';
import { archivedCategory } from '../../application/archive/ports/archive.ts';
import type { EventLog, LoggedEvent } from '../../application/ports/eventLog.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { categoryOf } from '../../domain/shared/streams.ts';
import { assertAppendable } from './groupCommitWriter.ts';
import {
  type CatchUpSubscription,
  createCatchUpSubscription,
  type EventSource,
  isWanted,
} from './catchUpSubscription.ts';
import { createAppender } from './eventStoreDb/appender.ts';
import { catchUpPages } from './eventStoreDb/catchUpPages.ts';
import { FAILOVER_MS, type LeaderConnection } from './eventStoreDb/connection.ts';
import { parseConnectionString } from './eventStoreDb/connectionString.ts';
import { createLiveFeed } from './eventStoreDb/liveFeed.ts';
import { CallFailed, callFailure, missingRight } from './eventStoreDb/outcomes.ts';
import {
  idOf,
  nextRequest,
  positionOf,
  streamRequest,
  toLoggedEvent,
} from './eventStoreDb/protocol.ts';
import { createSupervisor } from './eventStoreDb/supervisor.ts';

export interface EventStoreDbEventLogOptions {
  /** `esdb://…` or `kurrentdb://…`, with `+discover` where the host is a DNS name of the cluster. */
  readonly url: string;
  /** Appends waiting at most; beyond it `Overloaded`. Default 10,000. */
  readonly queueLimit?: number;
  /**
   * Time the start, an append or a read is retried over a change of leader, ms. Default 7,000: callers learn of an outage within
   * 8 s.
   */
  readonly timeoutMs?: number;
  /** Called when a connection is lost; it is replaced. */
  readonly onError?: (cause: unknown) => void;
}

export interface EventStoreDbEventLog extends EventLog {
  /** @throws Unavailable when no leader answers within `timeoutMs`; later outages are retried */
  start(): Promise<void>;
  /** Completes accepted appends, ends the subscriptions, closes the connection. */
  stop(): Promise<void>;
  /** @throws Unavailable when an append would not be accepted now, or subscriptions do not advance */
  check(): Promise<void>;
  /** Null: it tells nothing of the database, which holds keys and who is forgotten. */
  holdsSeen(): Promise<null>;
}

/** Events of a stream per page. */
const STREAM_PAGE = 500;
/** Pause before retrying a read, ms. */
const REPEAT_AFTER_MS = 50;
/** Interval of the check of the live feed's position, ms. */
const LOOK_EVERY_MS = 5;
/** Timeout of a check, and the largest lag of the live feed it accepts, ms. */
const CHECK_TIMEOUT_MS = 2000;
/** Records the server looks through at once for the next event of ours. */
const LOOKED_THROUGH = 1000;
/** Pause before a subscription retries, and the longest wait for it at shutdown, ms. */
const SUBSCRIPTION_RETRY_MS = 1000;

/**
 * The event log on EventStoreDB, used at the leader only: appends, reads and subscriptions go over one connection that
 * is replaced when it breaks or the node stops leading. Positions are commit positions of $all.
 *
 * @throws InvalidConnectionString
 */
export function createEventStoreDbEventLog(
  options: EventStoreDbEventLogOptions,
): EventStoreDbEventLog {
  const { queueLimit = 10_000, timeoutMs = FAILOVER_MS, onError } = options;
  const settings = parseConnectionString(options.url);
  const subscriptions = new Set<CatchUpSubscription>();
  let isStopped = false;
  /** Appended by this process and not yet passed by the feed, by event id. */
  const own = new Map<string, Pick<LoggedEvent, 'data' | 'metadata' | 'type' | 'note'>>();

  const feed = createLiveFeed({
    takeOwn: (record) => {
      const id = idOf(record);
      const event = own.get(id);
      if (event === undefined) return undefined;
      own.delete(id);
      return toLoggedEvent(record, event);
    },
    wants: (stream) => isWanted(subscriptions, stream),
    offer: (batch) => {
      for (const subscription of subscriptions) subscription.offer(batch);
    },
  });

  const appender = createAppender({
    queueLimit,
    callTimeoutMs: () => supervisor.callTimeoutMs(),
    lastFailure: () => supervisor.lastFailure(),
  });

  const supervisor = createSupervisor({
    settings,
    failoverMs: timeoutMs,
    onConnected: (connection) => {
      const passed = feed.passed() ?? 0n;
      if ((connection.end ?? 0n) < passed) {
        const shorter = `the log ends at ${connection.end}, before position ${passed} that was read from it`;
        connection.close(new CallFailed('InvalidPosition', shorter));
        return;
      }
      feed.connected(connection);
      appender.connected(connection);
    },
    ...(onError && { onError }),
  });

  const source: EventSource = {
    // Resolved once the feed has passed it, so that later events are offered.
    head: async () => {
      const end = (await readEnd(SUBSCRIPTION_RETRY_MS)) ?? 0n;
      await passed(end, SUBSCRIPTION_RETRY_MS);
      return end;
    },
    readFrom: async function* (after, _upTo, categories) {
      const connection = await supervisor.connected(SUBSCRIPTION_RETRY_MS);
      // The feed read it on this connection, so this server process has it.
      yield* catchUpPages(connection, after, categories, feed.passed() ?? 0n);
    },
  };

  async function readEnd(withinMs: number): Promise<bigint | null> {
    return persist(withinMs, '$all', (connection, left) => connection.readEnd(left));
  }

  /** Waits until the feed has passed a position. @throws Unavailable on timeout */
  async function passed(position: bigint, withinMs: number): Promise<void> {
    const until = Date.now() + withinMs;
    let isAsked = false;
    while ((feed.passed() ?? 0n) < position) {
      if (!isAsked) {
        isAsked = true;
        if (await isForeignUpTo(position, withinMs)) feed.foundNothingUpTo(position);
        continue;
      }
      if (isStopped || Date.now() > until) {
        throw new Unavailable('eventStore', new Error('The live subscription does not advance.'));
      }
      await pause(LOOK_EVERY_MS, undefined, { ref: false });
    }
  }

  /**
   * True when the log holds events of the server alone between what the feed has passed and the position: of these the
   * feed is told now and then only.
   */
  async function isForeignUpTo(position: bigint, withinMs: number): Promise<boolean> {
    const after = feed.passed() ?? 0n;
    const found = await persist(withinMs, '$all', (connection, left) =>
      connection.readAll(
        nextRequest(after === 0n ? null : after, 'notSystem', LOOKED_THROUGH),
        left,
      ),
    );
    return !found.some((record) => positionOf(record) > after && positionOf(record) <= position);
  }

  /** Retries a read at the current leader until it succeeds or times out. */
  async function persist<Result>(
    withinMs: number,
    what: string,
    read: (connection: LeaderConnection, leftMs: number) => Promise<Result>,
  ): Promise<Result> {
    const until = Date.now() + withinMs;
    for (;;) {
      const connection = await supervisor.connected(until - Date.now());
      try {
        return await read(connection, until - Date.now());
      } catch (error) {
        const failure = callFailure(error);
        if (failure.action === 'denied') {
          throw new Unavailable('eventStore', missingRight('read', what, failure));
        }
        const isOver = Date.now() + REPEAT_AFTER_MS >= until;
        if (isOver || failure.action === 'refused') throw new Unavailable('eventStore', failure);
        if (failure.action === 'reconnect') connection.close(failure);
        await pause(REPEAT_AFTER_MS, undefined, { ref: false });
      }
    }
  }

  return {
    async append(stream, events, expected) {
      assertAppendable(stream, events);
      for (const event of events) own.set(event.id, event);
      let isPassed = true;
      try {
        const appended = await appender.append(stream, events, expected);
        isPassed = appended.position <= (feed.passed() ?? 0n);
        return appended;
      } finally {
        if (isPassed) for (const { id } of events) own.delete(id);
      }
    },
    async *read(stream, from = 0n): AsyncGenerator<LoggedEvent> {
      for (let next = from; ;) {
        const request = streamRequest(stream, next, STREAM_PAGE);
        const page = await persist(supervisor.callTimeoutMs(), stream, (connection, left) =>
          connection.readAll(request, left).catch(noneOfArchived(stream)),
        );
        for (const record of page) yield toLoggedEvent(record);
        const last = page.at(-1);
        if (last === undefined || page.length < STREAM_PAGE) return;
        next = BigInt(last.getStreamRevision()) + 1n;
      }
    },
    subscribe(subscribeOptions) {
      const subscription = createCatchUpSubscription(source, subscribeOptions, {
        onEnd: () => subscriptions.delete(subscription),
        onRetry: (cause) => {
          // The connection reports an outage, once.
          if (!(cause instanceof Unavailable)) onError?.(cause);
        },
      });
      subscriptions.add(subscription);
      return subscription;
    },
    head: () => readEnd(supervisor.callTimeoutMs()),
    start: () => supervisor.start(),
    async stop() {
      await appender.drain();
      isStopped = true;
      // A subscription may be waiting for an unresponsive server: closing the connection releases it.
      const stopped = [...subscriptions].map((subscription) => subscription.stop());
      supervisor.stop();
      await Promise.all(stopped);
    },
    holdsSeen: () => Promise.resolve(null),
    async check() {
      const end = await readEnd(CHECK_TIMEOUT_MS);
      await passed(end ?? 0n, CHECK_TIMEOUT_MS);
    },
  };
}

/** Reads nothing from a stream that was deleted because the archive has it; any other deleted one is a failure. */
function noneOfArchived(stream: string) {
  return (error: unknown): readonly never[] => {
    const isDeleted = callFailure(error).outcome === 'StreamDeleted';
    if (isDeleted && categoryOf(stream) === archivedCategory) return [];
    throw error;
  };
}
