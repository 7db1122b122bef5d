import { createHash } from 'node:crypto';
import { z } from 'zod';
import { isRefusal } from '../../domain/shared/refusal.ts';
import type { Reply, RequestContext } from '../http/route.ts';

/** Pause between signs of life of a stream, ms: below the idle time of common proxies (60 s). */
const HEARTBEAT_MS = 15_000;

/** Comment of server-sent events (HTML Standard, 9.2.5): it keeps proxies from closing the connection. */
const heartbeat = Buffer.from(':\n\n');

const answerSchema = z.object({ state: z.string() });

/** A change of a session, as the long poll answers it. */
interface Change {
  readonly id: string;
  readonly body: string;
  readonly isLast: boolean;
}

export interface SessionEventsOptions {
  /** Answers as the long poll does: at once when the session is complete, else after this time. @throws Refusal SESSION_NOT_FOUND */
  readonly poll: (timeoutMs: number) => Promise<Reply>;
  readonly context: Pick<RequestContext, 'headers' | 'onGone'>;
  /** Default: {@link HEARTBEAT_MS}. */
  readonly heartbeatMs?: number | undefined;
}

/**
 * Streams the answers of the long poll as server-sent events: the present one, each one that differs, and the end behind
 * that of a complete session. The id of an event is made of its content, so that a client that reconnects
 * (`Last-Event-ID`), to whichever process, is not told twice. One that had the end is answered 204, which ends its
 * reconnecting (HTML Standard, 9.2.2).
 *
 * @throws Refusal SESSION_NOT_FOUND
 */
export async function sessionEvents({
  poll,
  context,
  heartbeatMs = HEARTBEAT_MS,
}: SessionEventsOptions): Promise<Reply> {
  const seen = context.headers['last-event-id'];
  const first = changeIn(await poll(0));
  if (first.isLast && seen === first.id) return { status: 204 };
  return {
    contentType: 'text/event-stream; charset=utf-8',
    headers: { 'cache-control': 'no-store, no-transform', 'x-accel-buffering': 'no' },
    stream: stream(),
  };

  async function* stream(): AsyncGenerator<Uint8Array> {
    const gone = new AbortController();
    context.onGone(() => gone.abort());
    let told = first;
    yield seen === first.id ? heartbeat : written(first);
    while (!told.isLast) {
      const next = await nextChange();
      if (next === null || gone.signal.aborted) return;
      yield next.id === told.id ? heartbeat : written(next);
      told = next;
    }
  }

  /** Null: the session is not readable any longer. */
  async function nextChange(): Promise<Change | null> {
    try {
      return changeIn(await poll(heartbeatMs));
    } catch (error) {
      if (isRefusal(error, 'SESSION_NOT_FOUND')) return null;
      throw error;
    }
  }
}

function changeIn({ body }: Reply): Change {
  const text = Buffer.isBuffer(body) ? body.toString() : JSON.stringify(body);
  return {
    id: createHash('sha256').update(text).digest('base64url').slice(0, 22),
    body: text,
    isLast: answerSchema.parse(JSON.parse(text)).state === 'COMPLETE',
  };
}

/** Writes an event; JSON has no line break outside of texts, where it is escaped. */
function written({ id, body }: Change): Buffer {
  return Buffer.from(`id: ${id}\nevent: session\ndata: ${body}\n\n`);
}
