import { setTimeout as pause } from 'node:timers/promises';
import { Unavailable } from '../../../application/ports/faults.ts';
import { connectToLeader, connectWithin, type LeaderConnection } from './connection.ts';
import type { ConnectionSettings, Endpoint } from './connectionString.ts';
import { CallFailed, callFailure, missingRight } from './outcomes.ts';

export interface SupervisorOptions {
  readonly settings: ConnectionSettings;
  /** Time that calls wait for the next leader, from the loss of the last one, ms. */
  readonly failoverMs: number;
  /** Called with each new connection. */
  readonly onConnected: (connection: LeaderConnection) => void;
  /** Called when a connection ends and, once until it succeeds, when connecting fails. */
  readonly onError?: (cause: unknown) => void;
}

/** Maintains one connection to the leader and replaces it, one at a time, whenever it ends. */
export interface Supervisor {
  /** Connects, over an election too. @throws Unavailable after a failover's time; nothing is left running then */
  start(): Promise<void>;
  stop(): void;
  /** The connection in use; `null` while there is none. */
  current(): LeaderConnection | null;
  /**
   * The current connection, or the next one.
   *
   * @param timeoutMs time to wait for it
   * @throws Unavailable with the reason
   */
  connected(timeoutMs: number): Promise<LeaderConnection>;
  /** Time a call may wait now, ms: a whole failover, but only briefly once the outage lasts longer. */
  callTimeoutMs(): number;
  /** Reason of the last connection's end; `null`: no failure since the start. */
  lastFailure(): CallFailed | null;
}

const RETRY_FIRST_MS = 50;
const RETRY_MOST_MS = 500;
/** Retry interval after a missing right, which is not granted within a moment, ms. */
const DENIED_RETRY_MS = 5000;
const CONNECT_TIMEOUT_MS = 1000;
/** A connection that lasted this long is replaced without a pause, ms. */
const STEADY_MS = 5000;
/** Time a call waits for a leader that has been unavailable for longer than a failover takes, ms. */
const OUTAGE_TIMEOUT_MS = 500;
/** Interval and timeouts of the leader probe, ms. */
const PROBE_EVERY_MS = 400;
const PROBE_TIMEOUT_MS = 1000;
const PROBE_AGAIN_TIMEOUT_MS = 400;

/** Creates the supervisor; `start` does the first I/O. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { settings, failoverMs, onConnected, onError } = options;
  let running = false;
  let current: LeaderConnection | null = null;
  let failure: CallFailed | null = null;
  /** Time the last connection ended; `null` while connected. */
  let outageSince: number | null = null;
  const waiting = new Set<(connection: LeaderConnection | null) => void>();

  const isRunning = () => running;

  /** Goes on with a connection. @throws CallFailed when it cannot be used */
  function adopt(connection: LeaderConnection): LeaderConnection {
    try {
      if (!isRunning()) throw new CallFailed('Cancelled', 'stopped');
      current = connection;
      onConnected(connection);
    } catch (error) {
      current = null;
      connection.close(callFailure(error));
      throw error;
    }
    outageSince = null;
    for (const resolve of waiting) resolve(connection);
    waiting.clear();
    return connection;
  }

  /** Runs connections one after the other; pauses after one that ended at once. */
  async function run(first: LeaderConnection): Promise<void> {
    let retryMs = 0;
    let connection: LeaderConnection | null = first;
    while (connection !== null) {
      const since = Date.now();
      void probe(connection);
      failure = await connection.ended;
      current = null;
      outageSince = Date.now();
      if (isRunning()) onError?.(failure);
      retryMs = Date.now() - since >= STEADY_MS ? 0 : longer(retryMs);
      await pause(retryMs, undefined, { ref: false });
      connection = await reconnect(failure.leader, connection.endpoint);
    }
  }

  /** Retries until connected; `null`: stopped meanwhile. */
  async function reconnect(
    at: Endpoint | null,
    left: Endpoint | null,
  ): Promise<LeaderConnection | null> {
    let hint = at;
    let reported = '';
    for (let retryMs = RETRY_FIRST_MS; isRunning(); retryMs = longer(retryMs)) {
      try {
        return adopt(await connectToLeader(settings, { hint, left }, CONNECT_TIMEOUT_MS));
      } catch (error) {
        failure = callFailure(error);
        hint = failure.leader;
        // Reported once, and again when the failure changes.
        if (isRunning() && reported !== failure.outcome) onError?.(failure);
        reported = failure.outcome;
        await pause(failure.action === 'denied' ? DENIED_RETRY_MS : retryMs, undefined, {
          ref: false,
        });
      }
    }
    return null;
  }

  /** Probes the leader regularly, so that a node that hangs or no longer leads is left even without writes. */
  async function probe(connection: LeaderConnection): Promise<void> {
    for (let timeoutMs = PROBE_TIMEOUT_MS; connection.isOpen();) {
      try {
        await pause(PROBE_EVERY_MS, undefined, { ref: false });
        if (connection.isOpen()) await connection.readEnd(timeoutMs);
        timeoutMs = PROBE_TIMEOUT_MS;
      } catch (error) {
        const failed = callFailure(error);
        const isFirstSilence =
          failed.outcome === 'DeadlineExceeded' && timeoutMs === PROBE_TIMEOUT_MS;
        // This process itself may have been busy: a second probe decides.
        if (isFirstSilence) timeoutMs = PROBE_AGAIN_TIMEOUT_MS;
        else if (failed.action !== 'repeat') connection.close(failed);
      }
    }
  }

  return {
    async start() {
      running = true;
      try {
        void run(adopt(await connectWithin(settings, failoverMs, isRunning)));
      } catch (error) {
        running = false;
        throw new Unavailable('eventStore', reportedCause(error));
      }
    },
    stop() {
      running = false;
      current?.close(new CallFailed('Cancelled', 'stopped'));
      current = null;
      for (const resolve of waiting) resolve(null);
      waiting.clear();
    },
    current: () => current,
    connected(timeoutMs) {
      if (current !== null) return Promise.resolve(current);
      return new Promise((resolve, reject) => {
        const settle = (connection: LeaderConnection | null) => {
          clearTimeout(timer);
          waiting.delete(settle);
          if (connection === null) reject(new Unavailable('eventStore', reportedCause(failure)));
          else resolve(connection);
        };
        const timer = setTimeout(() => settle(null), Math.max(timeoutMs, 0)).unref();
        if (running) waiting.add(settle);
        else settle(null);
      });
    },
    callTimeoutMs() {
      if (outageSince === null) return failoverMs;
      return Math.max(outageSince + failoverMs - Date.now(), OUTAGE_TIMEOUT_MS);
    },
    lastFailure: () => failure,
  };
}

/** Failure of a connection for the operator of the server: its first call reads $all. */
function reportedCause(error: unknown): unknown {
  const isDenied = error instanceof CallFailed && error.action === 'denied';
  return isDenied ? missingRight('read', '$all', error) : error;
}

function longer(retryMs: number): number {
  return Math.min(Math.max(retryMs * 2, RETRY_FIRST_MS), RETRY_MOST_MS);
}
