import pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';
import type { EncodedEvent, LoggedEvent } from '../../application/ports/eventLog.ts';
import type { WindowReader } from './catchUp.ts';

export interface ReconnectingOptions {
  /** Creates an unconnected client. */
  readonly create: () => pg.Client;
  /** Prepares a new connection before use; a rejection means retry. */
  readonly onConnected?: (client: pg.Client) => Promise<void>;
  /** Called when the connection is lost; a new one is being opened. */
  readonly onLost?: (cause: unknown) => void;
  /** Called on every failure to connect and every loss. */
  readonly onError?: (cause: unknown) => void;
}

/** One connection that is replaced, with back-off, whenever it breaks. */
export interface ReconnectingClient {
  /** The open connection, or `null` while there is none. */
  current(): pg.Client | null;
  /** Connects. @throws Unavailable when the first attempt fails; nothing is left running then. */
  start(): Promise<void>;
  /** Discards the current connection, as if it had broken. */
  drop(client: pg.Client, cause: unknown): void;
  stop(): Promise<void>;
}

const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 2000;

/** Creates the supervisor of one connection; `start` does the first I/O. */
export function createReconnectingClient(options: ReconnectingOptions): ReconnectingClient {
  let running = false;
  let current: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let retryMs = RETRY_FIRST_MS;

  async function connect(): Promise<void> {
    const client = options.create();
    let broken: { cause: unknown } | undefined;
    const lost = (cause: unknown) => {
      broken ??= { cause };
      drop(client, cause);
    };
    client.on('error', lost);
    client.on('end', () => lost(new Error('The connection ended.')));
    try {
      await client.connect();
      await options.onConnected?.(client);
      if (broken !== undefined) throw new Error('The connection broke.', { cause: broken.cause });
      if (!running) throw new Error('The connection was stopped while connecting.');
    } catch (error) {
      destroy(client);
      throw error;
    }
    current = client;
    retryMs = RETRY_FIRST_MS;
  }

  function drop(client: pg.Client, cause: unknown): void {
    if (client !== current) return;
    current = null;
    destroy(client);
    options.onError?.(cause);
    options.onLost?.(cause);
    reconnectLater(0);
  }

  function reconnectLater(delayMs: number): void {
    if (!running) return;
    timer = setTimeout(() => {
      connect().catch((error: unknown) => {
        options.onError?.(error);
        reconnectLater(retryMs);
        retryMs = Math.min(retryMs * 2, RETRY_MOST_MS);
      });
    }, delayMs).unref();
  }

  return {
    current: () => current,
    async start() {
      running = true;
      try {
        await connect();
      } catch (error) {
        running = false;
        throw new Unavailable('eventStore', error);
      }
    },
    drop,
    async stop() {
      running = false;
      clearTimeout(timer);
      const client = current;
      current = null;
      await client?.end().catch(() => undefined);
    },
  };
}

/** Destroys a connection that may not answer: a graceful close could wait for ever. */
function destroy(client: pg.Client): void {
  const { connection } = client as unknown as {
    connection: { stream: { destroy(): void } };
  };
  connection.stream.destroy();
}

export interface PostgresReader extends WindowReader {
  /** Position of the newest committed event; 0 when there is none. */
  head(): Promise<bigint>;
  /** One page of a stream from `from` on; small streams come whole. */
  readStream(
    stream: string,
    from: bigint,
  ): Promise<{ events: readonly LoggedEvent[]; isLast: boolean }>;
  /** The recently stored events with these ids, in the order of their positions. */
  findByIds(ids: readonly string[]): Promise<readonly LoggedEvent[]>;
  stop(): Promise<void>;
}

type Row = [
  position: string,
  stream: string,
  revision: string,
  id: string,
  type: string,
  data: string,
  metadata: string,
];

const COLUMNS = 'position, stream, revision, event_id, type, data, metadata';
const STREAM_PAGE = 500;

/** Values stay text as PostgreSQL sends them: parsing would dominate the time of a read. */
const rawText: pg.CustomTypesConfig = { getTypeParser: () => (value: string) => value };

/**
 * Reads the event table through a small pool. Throws `pg`'s errors.
 *
 * @param onRead called with the events of each query, in order
 */
export function createPostgresReader(
  config: pg.PoolConfig,
  onRead: (events: readonly LoggedEvent[]) => void,
): PostgresReader {
  const pool = new pg.Pool({ ...config, types: rawText, idleTimeoutMillis: 60_000 });
  // An idle connection that breaks is replaced on next use; without a listener the event would end the process.
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined));

  async function query(name: string, text: string, values: unknown[]): Promise<LoggedEvent[]> {
    const { rows } = await pool.query<Row>({ name, text, values, rowMode: 'array' });
    const events = rows.map(toEvent);
    onRead(events);
    return events;
  }

  return {
    async head() {
      const { rows } = await pool.query<[string]>({
        name: 'event_head',
        text: 'select position from event_head',
        rowMode: 'array',
      });
      return BigInt(rows[0]?.[0] ?? 0);
    },
    readWindow(after, upTo, categories) {
      if (categories === undefined) {
        return query(
          'event_window',
          `select ${COLUMNS} from event where position > $1 and position <= $2 order by position`,
          [after, upTo],
        );
      }
      return query(
        'event_window_of',
        `select ${COLUMNS} from event where position > $1 and position <= $2
         and split_part(stream, '-', 1) = any($3) order by position`,
        [after, upTo, categories],
      );
    },
    async readStream(stream, from) {
      const events = await query(
        'event_stream',
        `select ${COLUMNS} from read_stream($1, $2, ${STREAM_PAGE})`,
        [stream, from],
      );
      return { events, isLast: events.length < STREAM_PAGE };
    },
    findByIds: (ids) =>
      query(
        'event_by_id',
        `select ${COLUMNS} from recent_event where event_id = any($1::uuid[]) order by position`,
        [ids],
      ),
    stop: () => pool.end(),
  };
}

function toEvent(row: Row): LoggedEvent {
  return {
    position: BigInt(row[0]),
    stream: row[1],
    revision: BigInt(row[2]),
    id: row[3],
    type: row[4],
    data: row[5],
    metadata: row[6],
  };
}

/** Channel on which a writer announces the streams of its commit, in its transaction and before its position. */
export const announcementChannel = 'tamga_event_streams';

/** PostgreSQL's limit for a payload is below 8000 bytes. */
const PAYLOAD_BYTES = 7900;

/** Announced instead of more streams than a payload holds. */
const TOO_MANY = '*';

/** A commit of another process: events after `previous`, up to `last`, all of these streams. */
export interface AnnouncedCommit {
  readonly previous: bigint;
  readonly last: bigint;
  readonly streams: readonly string[];
  /** Id of the event at `last`. */
  readonly id: string;
}

/** Text for {@link announcementChannel}: the number of events, the id of the last one, their streams. */
export function announce(
  appends: readonly { readonly stream: string; readonly events: readonly EncodedEvent[] }[],
): string {
  let count = 0;
  let id = '';
  for (const { events } of appends) {
    count += events.length;
    id = events.at(-1)?.id ?? id;
  }
  const streams = new Set(appends.map(({ stream }) => stream));
  const text = [String(count), id, ...streams].join('\n');
  // A name with a line break would be read as two.
  const isFaithful = text.split('\n').length === streams.size + 2;
  return isFaithful && Buffer.byteLength(text) <= PAYLOAD_BYTES ? text : TOO_MANY;
}

/** Joins each notification of a position with the announcement before it. */
interface CommitAnnouncements {
  announced(processId: number, text: string): void;
  /** @returns null when the commit is known by its position alone */
  reached(processId: number, position: bigint): AnnouncedCommit | null;
}

/**
 * Joins the notifications of one connection. An announcement is used only when its commit follows the previous one
 * without a gap and stored every announced event: one of an earlier release, or with an append refused by its revision,
 * does not.
 */
export function createCommitAnnouncements(): CommitAnnouncements {
  let newest: bigint | null = null;
  let pending: { readonly processId: number; readonly text: string } | null = null;

  return {
    announced(processId, text) {
      pending = { processId, text };
    },
    reached(processId, position) {
      const previous = newest;
      const text = pending?.processId === processId ? pending.text : TOO_MANY;
      newest = position;
      pending = null;
      if (previous === null || text === TOO_MANY) return null;
      const [count = '', id = '', ...streams] = text.split('\n');
      if (position - previous !== BigInt(count)) return null;
      return { previous, last: position, streams, id };
    },
  };
}
