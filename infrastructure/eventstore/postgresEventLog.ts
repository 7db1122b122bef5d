import pg from 'pg';
import type { Appended, EventLog, LoggedEvent } from '../../application/ports/eventLog.ts';
import { LogLostEvents, NotReady, Unavailable } from '../../application/ports/faults.ts';
import {
  assertAppendable,
  createGroupCommitWriter,
  type PendingAppend,
  tryAppend,
  type WriterStats,
} from './groupCommitWriter.ts';
import {
  type CatchUpSubscription,
  createCatchUpSubscription,
  type EventSource,
  isWanted,
} from './catchUpSubscription.ts';
import { type CommitFeed, createCommitFeed } from './catchUp.ts';
import { orUnavailable } from './postgresErrors.ts';
import {
  type AnnouncedCommit,
  announcementChannel,
  createCommitAnnouncements,
  createPostgresReader,
  createReconnectingClient,
} from './postgresConnections.ts';
import { windowPages } from './windowPages.ts';
import { HERE, NAME } from '../postgres/knownServer.ts';
import { sessionAt } from '../postgres/session.ts';

/** Memory of the newest event that this process saw in the log. */
interface LogEnd {
  saw(events: readonly Pick<LoggedEvent, 'position' | 'id'>[]): void;
  /** Name of the server at the end of this connection; null unless it holds everything seen, in one statement. */
  holder(client: Pick<pg.Client, 'query'>): Promise<string | null>;
  /**
   * Compares with the log a new connection leads to, and forgets what is lost.
   *
   * @returns null while the log holds everything seen
   */
  lostEvents(client: Pick<pg.Client, 'query'>): Promise<LogLostEvents | null>;
}

interface Mark {
  readonly position: bigint;
  readonly id: string;
}

const SEEN = 'select position, event_id from event where position = $1';

const LAST = 'select position, event_id from recent_event order by position desc limit 1';

/**
 * A failover to a standby that lagged, a restored backup or a crash with synchronous_commit=off give the positions of
 * lost events to others: so the event is compared, not only the position.
 */
function createLogEnd(): LogEnd {
  let seen: Mark | null = null;

  async function find(
    client: Pick<pg.Client, 'query'>,
    text: string,
    values: readonly string[] = [],
  ): Promise<Mark | null> {
    const { rows } = await client.query<{ position: string; event_id: string }>(text, [...values]);
    const [row] = rows;
    return row === undefined ? null : { position: BigInt(row.position), id: row.event_id };
  }

  return {
    saw(events) {
      const last = events.at(-1);
      if (last === undefined || (seen !== null && last.position <= seen.position)) return;
      seen = { position: last.position, id: last.id };
    },
    async holder(client) {
      if (seen === null) return null;
      const { rows } = await client.query<{ server: string }>(
        `select ${NAME} as server from ${HERE}
         where exists (select from event where position = $1 and event_id = $2)`,
        [String(seen.position), seen.id],
      );
      return rows[0]?.server ?? null;
    },
    async lostEvents(client) {
      for (;;) {
        const before = seen;
        const found = before && (await find(client, SEEN, [String(before.position)]));
        const last = await find(client, LAST);
        // Another connection was faster.
        if (seen !== before) continue;
        if (before === null || found?.id === before.id) {
          seen ??= last;
          return null;
        }
        seen = last;
        return new LogLostEvents(before.position, last?.position ?? 0n);
      }
    },
  };
}

export interface PostgresEventLogOptions {
  /** Connection URL of a database that `migrate` has brought up to date. */
  readonly url: string;
  /** Appends waiting at most; beyond it `Overloaded`. Default 10,000. */
  readonly queueLimit?: number;
  /** Events per commit at most. Default 512. */
  readonly maxBatchEvents?: number;
  /** Connections for reading at most, beside one for writing and one for notifications. Default 4. */
  readonly readers?: number;
  /** A statement that takes longer counts as an outage. Default 5,000 ms. */
  readonly statementTimeoutMs?: number;
  /** Polling interval for new events without notifications. Default 5,000 ms. */
  readonly pollMs?: number;
  /** Called on lost connections and failed reads; the log recovers by itself. */
  readonly onError?: (cause: unknown) => void;
  /** Called when a reconnected log misses events this process saw, before it is read or appended to again. */
  readonly onEventsLost?: (cause: LogLostEvents) => void;
}

export interface PostgresEventLog extends EventLog {
  /** Connects. @throws Unavailable when PostgreSQL does not answer now; later outages are retried */
  start(): Promise<void>;
  /** Completes accepted appends, ends the subscriptions, closes the connections. */
  stop(): Promise<void>;
  /**
   * @throws Unavailable when the database does not answer; NotReady while it refuses appends: the last one, and one
   *   that is tried
   */
  check(): Promise<void>;
  /** Name of the server that holds everything that this process saw of the log; null: none. @throws Unavailable */
  holdsSeen(): Promise<string | null>;
  readonly stats: WriterStats;
}

const CHANNEL = 'tamga_event';
/** SQLSTATE disk_full. */
const DISK_FULL = '53100';
const CONNECT_TIMEOUT_MS = 5000;

/**
 * The event log on PostgreSQL: one connection writes with group commit, one listens, a few read. Positions are gapless
 * and in commit order over all processes, so a reader never skips a late commit.
 */
export function createPostgresEventLog(options: PostgresEventLogOptions): PostgresEventLog {
  const { url, onError, pollMs = 5000, statementTimeoutMs = 5000 } = options;
  const connection = {
    ...sessionAt(url),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: statementTimeoutMs,
    keepAlive: true,
  };
  const subscriptions = new Set<CatchUpSubscription>();
  const end = createLogEnd();
  const reader = createPostgresReader(
    { ...connection, max: options.readers ?? 4, application_name: 'tamga event reader' },
    end.saw,
  );
  let poll: NodeJS.Timeout | undefined;

  const writing = createReconnectingClient({
    create: () =>
      new pg.Client({
        ...connection,
        application_name: 'tamga event writer',
        // The batch statements are planned once, for the index, even while the table has no statistics.
        ...sessionAt(url, { plan_cache_mode: 'force_generic_plan', enable_seqscan: 'off' }),
      }),
    onConnected: async (client) => {
      await client.query(`set statement_timeout = ${statementTimeoutMs}`);
      await expectSeen(client);
    },
    onLost: (cause) => {
      writer.failWaiting(cause);
      // Appends in flight may have been committed.
      void lookForNew();
    },
    ...(onError && { onError }),
  });

  const listening = createReconnectingClient({
    create: () => new pg.Client({ ...connection, application_name: 'tamga event listener' }),
    onConnected: async (client) => {
      const commits = createCommitAnnouncements();
      client.on('notification', ({ channel, payload = '', processId }) => {
        if (channel === announcementChannel) {
          commits.announced(processId, payload);
          return;
        }
        const position = BigInt(payload);
        const announced = commits.reached(processId, position);
        // The writer hands over its own commits; notified first, every subscription would read them back.
        if (processId === backendOf(writing.current())) return;
        if (announced !== null && isSkippable(announced)) skip(announced);
        else reached(position);
      });
      await client.query(`listen ${CHANNEL}`);
      await client.query(`listen ${announcementChannel}`);
      await expectSeen(client);
      // Catches up on commits made while not listening.
      reached(await reader.head());
    },
    ...(onError && { onError }),
  });

  const writer = createGroupCommitWriter({
    connection: writing.current,
    dropConnection: writing.drop,
    queueLimit: options.queueLimit ?? 10_000,
    maxBatchEvents: options.maxBatchEvents ?? 512,
    findEarlier,
    onCommitted: (batch) => {
      end.saw(batch.events);
      if (subscriptions.size > 0) feed.committed(batch);
    },
  });

  let feed = newFeed();

  /** Restarts the feed and its subscriptions when the log behind this connection lacks events that this process saw. */
  async function expectSeen(client: pg.Client): Promise<void> {
    const lost = await end.lostEvents(client);
    if (lost === null) return;
    feed = newFeed();
    // Before their subscribers, who read again at once.
    options.onEventsLost?.(lost);
    for (const subscription of [...subscriptions]) subscription.fail(lost);
  }

  function newFeed(): CommitFeed {
    const created = createCommitFeed({
      source: reader,
      offer: (batch) => {
        if (feed !== created) return;
        for (const subscription of subscriptions) subscription.offer(batch);
      },
      moved: (position) => {
        if (feed !== created) return;
        for (const subscription of subscriptions) subscription.moved(position);
      },
      ...(onError && { onError }),
    });
    return created;
  }

  function isSkippable({ streams }: AnnouncedCommit): boolean {
    return !streams.some((stream) => isWanted(subscriptions, stream));
  }

  /** Skips the read of a commit that no subscription of this process selects. */
  function skip({ previous, last, id }: AnnouncedCommit): void {
    end.saw([{ position: last, id }]);
    if (subscriptions.size > 0) feed.skipped({ previous, last });
  }

  function reached(position: bigint): void {
    if (subscriptions.size > 0) feed.reached(position);
  }

  async function lookForNew(): Promise<void> {
    if (subscriptions.size === 0) return;
    try {
      reached(await reader.head());
    } catch (error) {
      onError?.(error);
    }
  }

  /** Recognises an append whose answer was lost by its event ids, at the revision it would have now. */
  async function findEarlier(append: PendingAppend): Promise<Appended | undefined> {
    const { stream, events, expected } = append;
    const found = await orUnavailable(reader.findByIds(events.map(({ id }) => id)));
    const [first] = found;
    const last = found.at(-1);
    if (first === undefined || last === undefined) return undefined;
    const start = expected === 'any' ? first.revision : expected === 'none' ? 0n : expected + 1n;
    const isSame =
      found.length === events.length &&
      found.every(
        (event, index) =>
          event.stream === stream &&
          event.id === events[index]?.id &&
          event.revision === start + BigInt(index),
      );
    return isSame ? { revision: last.revision, position: last.position } : undefined;
  }

  /** Answer of the server that refused the last append; null: it was stored. */
  let refusal: pg.DatabaseError | null = null;

  /** Finds out whether appends would be stored again, as a process that is not ready gets none. @throws NotReady */
  async function tryToWrite(): Promise<void> {
    const client = new pg.Client({ ...connection, application_name: 'tamga event writer' });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await tryAppend(client);
      refusal = null;
    } catch (error) {
      const { code = 'none' } = error instanceof pg.DatabaseError ? error : {};
      const why = code === DISK_FULL ? 'its disk is full' : 'see the log of this process';
      throw new NotReady(
        `The event log cannot be written, because PostgreSQL refuses it (SQLSTATE ${code}): ${why}.`,
        { cause: error },
      );
    } finally {
      await client.end();
    }
  }

  return {
    async append(stream, events, expected) {
      assertAppendable(stream, events);
      try {
        const appended = await writer.append(stream, events, expected);
        refusal = null;
        return appended;
      } catch (error) {
        if (error instanceof Unavailable && error.cause instanceof pg.DatabaseError) {
          refusal = error.cause;
        }
        throw error;
      }
    },
    async *read(stream, from = 0n): AsyncGenerator<LoggedEvent> {
      let next = from;
      for (;;) {
        const page = await orUnavailable(reader.readStream(stream, next));
        yield* page.events;
        if (page.isLast) return;
        next += BigInt(page.events.length);
      }
    },
    subscribe(subscribeOptions) {
      const source: EventSource = {
        head: () => reader.head(),
        readFrom: (...range) => windowPages(reader, ...range),
      };
      const subscription = createCatchUpSubscription(source, subscribeOptions, {
        onEnd: () => subscriptions.delete(subscription),
        ...(onError && { onRetry: onError }),
      });
      subscriptions.add(subscription);
      return subscription;
    },
    async head() {
      const position = await orUnavailable(reader.head());
      return position === 0n ? null : position;
    },
    async start() {
      await writing.start();
      try {
        await listening.start();
      } catch (error) {
        await writing.stop();
        throw error;
      }
      poll = setInterval(() => void lookForNew(), pollMs).unref();
    },
    async stop() {
      await writer.drain();
      clearInterval(poll);
      await Promise.all([...subscriptions].map((subscription) => subscription.stop()));
      await Promise.all([writing.stop(), listening.stop()]);
      await reader.stop();
    },
    async check() {
      // First, as it says why: the writer gave its connection up.
      if (refusal !== null) await tryToWrite();
      await orUnavailable(
        writing.current() === null
          ? Promise.reject(new Error('The writer is not connected.'))
          : reader.head(),
      );
    },
    async holdsSeen() {
      const client = writing.current();
      return client === null ? null : orUnavailable(end.holder(client));
    },
    get stats() {
      return writer.stats;
    },
  };
}

/** Backend process of a connection, as notifications name it; the driver stores it without declaring it. */
function backendOf(client: pg.Client | null): number | undefined {
  return (client as { readonly processID?: number } | null)?.processID;
}
