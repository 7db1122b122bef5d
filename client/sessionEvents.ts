import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { pauseAfter } from './backOff.ts';
import { ApiError, NetworkError } from './errors.ts';
import type { Http } from './http.ts';
import type { CallOptions, SessionResult } from './types.ts';
import { readSessionResult } from './wire.ts';

/** Options of following a session. */
export interface FollowOptions extends CallOptions {
  /** Total timeout, ms; default 150000. */
  readonly maxWaitMs?: number;
  /** Called with the present state and each change, the outcome included. */
  readonly onChange?: (result: SessionResult) => void;
}

/** An event as it was sent. */
interface ServerSentEvent {
  readonly id: string;
  readonly data: string;
}

/** Bytes of one event at most. */
const MOST_EVENT_BYTES = 1024 * 1024;
/** Least interval between connections, ms: a service that is restarting ends them at once. */
const MIN_INTERVAL_MS = 500;
/** Longest time of a timer, ms. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Failures in a row after which the session is polled: a proxy between may let no stream pass. */
const MOST_FAILURES = 2;
/** Time of one long poll at the service, ms. */
const POLL_MS = 30_000;

interface Following {
  readonly http: Http;
  /** Polls once, for a while (ms). */
  readonly poll: (sessionId: string, waitMs: number, of: CallOptions) => Promise<SessionResult>;
}

/** State of following a session. */
interface Received {
  lastId: string | null;
  last: SessionResult | null;
  /** Failures since something was received. */
  failures: number;
  /** No stream is to be had: the session is polled from then on. */
  polls: boolean;
}

/** Follows a session until its outcome; see {@link SessionApi.follow}. */
export async function followSession(
  { http, poll }: Following,
  sessionId: string,
  { maxWaitMs = 150_000, onChange, signal }: FollowOptions = {},
): Promise<SessionResult> {
  const deadline = Date.now() + maxWaitMs;
  const end = AbortSignal.timeout(Math.min(maxWaitMs, LONGEST_TIMER_MS));
  const signals = [end, signal].filter((each) => each !== undefined);
  const received: Received = { lastId: null, last: null, failures: 0, polls: false };
  const isOver = (rest: number) => end.aborted || Date.now() + rest >= deadline;
  const noting = { received, onChange };

  async function ask(): Promise<void> {
    if (!received.polls) {
      return receive(http, sessionId, { ...noting, signal: AbortSignal.any(signals) });
    }
    const waitMs = Math.max(0, Math.min(POLL_MS, deadline - Date.now()));
    note(await poll(sessionId, waitMs, { signal }), noting);
  }

  /** @returns pause, ms @throws the error itself when it is not transient, or nothing was received in time */
  function failed(error: unknown): number {
    signal?.throwIfAborted();
    const rest = end.aborted ? 0 : pauseAfter(error, received.failures);
    received.failures += 1;
    received.polls ||= received.failures >= MOST_FAILURES || isFull(error);
    if (received.last === null && isOver(rest)) throw error;
    return rest;
  }

  for (;;) {
    let rest = MIN_INTERVAL_MS;
    try {
      await ask();
    } catch (error) {
      rest = failed(error);
    }
    const { last } = received;
    if (last !== null && (last.state === 'COMPLETE' || isOver(rest))) return last;
    await pause(rest, undefined, { signal });
  }
}

/** True of the refusal of one more stream; polls are answered all the same. */
const isFull = (error: unknown) => error instanceof ApiError && error.status === 503;

interface Noting {
  readonly received: Received;
  readonly onChange: FollowOptions['onChange'];
}

interface Receiving extends Noting {
  readonly signal: AbortSignal;
}

/** Notes a state, and tells of it when it differs. */
function note(last: SessionResult, { received, onChange }: Noting): void {
  const isKnown = isDeepStrictEqual(last, received.last);
  Object.assign(received, { last, failures: 0 } satisfies Partial<Received>);
  if (!isKnown) onChange?.(last);
}

/** Receives over one connection, until it ends or the session has. */
async function receive(
  http: Http,
  sessionId: string,
  { received, onChange, signal }: Receiving,
): Promise<void> {
  const { lastId } = received;
  const stream = await http.stream({
    method: 'GET',
    route: '/session/{sessionId}/events',
    params: { sessionId },
    ...(lastId !== null && { headers: { 'last-event-id': lastId } }),
    signal,
  });
  for await (const { id, data } of eventsIn(stream)) {
    const last = readSessionResult(objectIn(data));
    received.lastId = id;
    note(last, { received, onChange });
    if (last.state === 'COMPLETE') return;
  }
}

function objectIn(data: string): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(data) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    throw new NetworkError('An event is not JSON.', { cause });
  }
}

/** Events of a stream (HTML Standard, 9.2.6); comments and other fields are passed over. */
async function* eventsIn(stream: AsyncIterable<Uint8Array>): AsyncGenerator<ServerSentEvent, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const blocks = rest.split(/\r\n\r\n|\n\n|\r\r/);
    rest = blocks.pop() ?? '';
    if (rest.length > MOST_EVENT_BYTES) throw new NetworkError('An event does not end.');
    for (const block of blocks) {
      const event = eventIn(block);
      if (event !== null) yield event;
    }
  }
}

function eventIn(block: string): ServerSentEvent | null {
  const fields = block.split(/\r\n|\n|\r/).map((line) => /^([a-z]+): ?(.*)$/.exec(line) ?? []);
  const values = (name: string) =>
    fields.flatMap(([, each, value = '']) => (each === name ? [value] : []));
  const data = values('data');
  return data.length === 0 ? null : { id: values('id').at(-1) ?? '', data: data.join('\n') };
}
