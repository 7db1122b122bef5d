import { setTimeout as pause } from 'node:timers/promises';
import { pauseAfter } from './backOff.ts';
import { NetworkError } from './errors.ts';
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

/** State of following a session. */
interface Received {
  lastId: string | null;
  last: SessionResult | null;
  /** Failures since something was received. */
  failures: number;
}

/** Follows a session until its outcome; see {@link SessionApi.follow}. */
export async function followSession(
  http: Http,
  sessionId: string,
  { maxWaitMs = 150_000, onChange, signal }: FollowOptions = {},
): Promise<SessionResult> {
  const deadline = Date.now() + maxWaitMs;
  const end = AbortSignal.timeout(Math.min(maxWaitMs, LONGEST_TIMER_MS));
  const signals = [end, signal].filter((each) => each !== undefined);
  const received: Received = { lastId: null, last: null, failures: 0 };
  const isOver = (rest: number) => end.aborted || Date.now() + rest >= deadline;
  for (;;) {
    let rest = MIN_INTERVAL_MS;
    try {
      await receive(http, sessionId, { received, onChange, signal: AbortSignal.any(signals) });
    } catch (error) {
      signal?.throwIfAborted();
      rest = end.aborted ? 0 : pauseAfter(error, received.failures);
      received.failures += 1;
      if (received.last === null && isOver(rest)) throw error;
    }
    const { last } = received;
    if (last !== null && (last.state === 'COMPLETE' || isOver(rest))) return last;
    await pause(rest, undefined, { signal });
  }
}

interface Receiving {
  readonly received: Received;
  readonly onChange: FollowOptions['onChange'];
  readonly signal: AbortSignal;
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
    Object.assign(received, { lastId: id, last, failures: 0 } satisfies Received);
    onChange?.(last);
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
