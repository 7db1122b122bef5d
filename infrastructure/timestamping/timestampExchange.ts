import { discard, readUpTo } from '../boundedBody.ts';

/** The authority refuses requests for a while (429 or 503). */
export class QuotaExceeded extends Error {
  override readonly name = 'QuotaExceeded';
  /** Null: not stated. */
  readonly retryAfterSeconds: number | null;

  constructor(reason: string, retryAfterSeconds: number | null) {
    super(`The authority refused: ${reason}.`);
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

export interface TimestampExchangeOptions {
  readonly timeoutMs?: number;
  readonly onCalled?: (status: string, seconds: number) => void;
}

/** Media types of RFC 3161 §3.4. */
const timestampQuery = 'application/timestamp-query';
const timestampReply = 'application/timestamp-reply';

/** A token with a chain has some 5 KiB. */
const MAX_REPLY_BYTES = 256 * 1024;

const MAX_ASIDE_SECONDS = 3600;

/**
 * Posts a TimeStampReq.
 *
 * @returns function from address and request to TimeStampResp, DER. It throws QuotaExceeded on 429 and 503, Error on
 * any other status, media type, size or a timeout
 */
export function createTimestampExchange({
  timeoutMs = 3000,
  onCalled = () => undefined,
}: TimestampExchangeOptions): (url: string, request: Buffer) => Promise<Buffer> {
  return async (url, request) => {
    const started = performance.now();
    const called = (status: string) => onCalled(status, (performance.now() - started) / 1000);
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': timestampQuery, accept: timestampReply },
        body: request,
        redirect: 'error',
        signal,
      });
      const reply = await readReply(response);
      called(String(response.status));
      return reply;
    } catch (error) {
      called(error instanceof QuotaExceeded ? 'quota' : 'error');
      throw error;
    }
  };
}

async function readReply(response: Response): Promise<Buffer> {
  const { status, headers, body } = response;
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (status !== 200 || type !== timestampReply || body === null) {
    await discard(response);
    if (status === 429 || status === 503) {
      throw new QuotaExceeded(`status ${status}`, retryAfter(headers.get('retry-after')));
    }
    throw new Error(`The authority answered ${status} ${type ?? 'without a type'}.`);
  }
  return readUpTo(response, MAX_REPLY_BYTES);
}

/** Seconds or a date (RFC 9110 §10.2.3), at most an hour; null when malformed or missing. */
function retryAfter(value: string | null): number | null {
  if (value === null) return null;
  const seconds = /^\d+$/.test(value)
    ? Number(value)
    : Math.ceil((Date.parse(value) - Date.now()) / 1000);
  if (Number.isNaN(seconds)) return null;
  return Math.min(Math.max(seconds, 1), MAX_ASIDE_SECONDS);
}
