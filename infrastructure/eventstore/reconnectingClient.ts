import type pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';

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
