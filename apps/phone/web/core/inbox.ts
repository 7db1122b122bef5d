import type { Phone } from '../../phone.ts';
import { ServiceError } from '../../service.ts';

/** State of the connection to the service. */
export type Connection = 'connected' | 'reconnecting' | 'notActive' | 'notKnown';

export interface InboxWatcher {
  /** Sessions already shown to the citizen. */
  readonly known: () => readonly string[];
  /** Called with the id of a new session. */
  readonly onSession: (sessionId: string) => Promise<void>;
  /** Called with known sessions that seem to have ended. */
  readonly onEnded: (sessionIds: readonly string[]) => void;
  /** Called when news may be there: at the start, and after each poll. */
  readonly onNews: () => Promise<void>;
  readonly onConnection: (connection: Connection) => void;
}

/** Long-poll timeout, ms. */
const LONG_POLL_MS = 25_000;
const MIN_BACK_OFF = 500;
const MAX_BACK_OFF = 8_000;
/** Most sessions reported as seen. */
const MAX_SEEN = 20;

/**
 * Polls for new sessions while the page is open; retries after outages. @returns function that
 * stops
 */
export function watchInbox(phone: Phone, watcher: InboxWatcher): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Sessions not to deliver again: failed to open, or answered during the poll. */
  const seen: string[] = [];

  async function listen(): Promise<void> {
    let backOff = MIN_BACK_OFF;
    while (!signal.aborted) {
      try {
        await watcher.onNews();
        const known = [...new Set([...watcher.known(), ...seen])].slice(-MAX_SEEN);
        const sessions = await phone.inbox({
          timeoutMs: LONG_POLL_MS,
          seen: known,
          signal,
          onEnded: watcher.onEnded,
        });
        watcher.onConnection('connected');
        backOff = MIN_BACK_OFF;
        for (const sessionId of sessions) await bring(sessionId);
      } catch (error) {
        if (stopping.signal.aborted) return;
        const state = stateAfter(error);
        watcher.onConnection(state);
        if (state !== 'reconnecting') return;
        await untilLater(backOff, signal);
        backOff = Math.min(backOff * 2, MAX_BACK_OFF);
      }
    }
  }

  /** Opens a session; a failure does not stop the inbox. */
  async function bring(sessionId: string): Promise<void> {
    if (seen.includes(sessionId)) return;
    seen.push(sessionId);
    try {
      await watcher.onSession(sessionId);
    } catch (error) {
      if (!(error instanceof ServiceError) || !error.code.startsWith('SESSION_')) throw error;
    }
  }

  void listen();
  return () => stopping.abort();
}

/** Connection state after an error: transient or permanent. */
function stateAfter(error: unknown): Connection {
  if (!(error instanceof ServiceError)) return 'reconnecting';
  if (error.code === 'DEVICE_NOT_ACTIVE') return 'notActive';
  return error.code === 'DEVICE_PROOF_INVALID' ? 'notKnown' : 'reconnecting';
}

/** Resolves after a pause, or as soon as the browser reports a connection. */
function untilLater(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const woken = new AbortController();
    const wake = () => {
      clearTimeout(timer);
      woken.abort();
      resolve();
    };
    const timer = setTimeout(wake, ms);
    window.addEventListener('online', wake, { signal: woken.signal });
    signal.addEventListener('abort', wake, { signal: woken.signal });
  });
}
