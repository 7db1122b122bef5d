import { ServiceError } from '../../service.ts';
import type { Phone } from './phone.ts';

/** Whether requests can reach this phone. */
export type Connection = 'connected' | 'reconnecting' | 'notActive' | 'notKnown';

export interface InboxWatcher {
  /** Sessions that are waiting for the citizen already. */
  readonly known: () => readonly string[];
  /** A session that is new. */
  readonly onSession: (sessionId: string) => Promise<void>;
  readonly onConnection: (connection: Connection) => void;
}

/** How long one call waits, ms. */
const WAIT = 25_000;
const LEAST_BACK_OFF = 500;
const MOST_BACK_OFF = 8_000;
/** Sessions that can be told to the service. */
const TOLD = 20;

/** Waits for new sessions for as long as the page is open; outages are waited out. @returns how to stop */
export function watchInbox(phone: Phone, watcher: InboxWatcher): () => void {
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Seen, and not to be brought again: they could not be opened, or are answered while the call is under way. */
  const seen: string[] = [];

  async function listen(): Promise<void> {
    let backOff = LEAST_BACK_OFF;
    while (!signal.aborted) {
      try {
        const known = [...new Set([...watcher.known(), ...seen])].slice(-TOLD);
        const sessions = await phone.inbox({ timeoutMs: WAIT, seen: known, signal });
        watcher.onConnection('connected');
        backOff = LEAST_BACK_OFF;
        for (const sessionId of sessions) await bring(sessionId);
      } catch (error) {
        if (isAborted(signal)) return;
        const state = stateAfter(error);
        watcher.onConnection(state);
        if (state !== 'reconnecting') return;
        await untilLater(backOff, signal);
        backOff = Math.min(backOff * 2, MOST_BACK_OFF);
      }
    }
  }

  /** One session that cannot be opened (any more) does not keep the phone from the next. */
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

/** The compiler believes a signal it saw unaborted stays so. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

/** Whether waiting can help. */
function stateAfter(error: unknown): Connection {
  if (!(error instanceof ServiceError)) return 'reconnecting';
  if (error.code === 'DEVICE_NOT_ACTIVE') return 'notActive';
  return error.code === 'DEVICE_PROOF_INVALID' ? 'notKnown' : 'reconnecting';
}

/** After a while, or as soon as the browser says that it is connected again. */
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
