import { createDeprecationNotices, type DeprecationNotice } from './deprecation.ts';
import {
  ApiError,
  AuthenticationError,
  ForbiddenError,
  NetworkError,
  RateLimitedError,
} from './errors.ts';
import { type FinishedCall, type HttpCall, redactedCall } from './httpCall.ts';
import { isObject, type Json } from './json.ts';
import { redactedCause, redactText } from './redaction.ts';

export interface HttpOptions {
  /** Root address, without a trailing slash. */
  readonly base: string;
  /** Begins every path: `/v3`, or empty. */
  readonly prefix: '/v3' | '';
  readonly apiSecret: string;
  /** Default timeout of a call, ms. */
  readonly timeoutMs: number;
  readonly fetchImpl: typeof fetch;
  readonly dispatcher: unknown;
  /** Called after each call. */
  readonly onCall?: ((call: HttpCall) => void) | undefined;
  /** Called once per deprecated endpoint. */
  readonly onDeprecated?: ((notice: DeprecationNotice) => void) | undefined;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /**
   * Path below the prefix, parameters in braces. Errors quote it unfilled: identifiers are personal
   * data.
   */
  readonly route: string;
  /** Raw values of the route's parameters. */
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  /** JSON, the bytes of a PDF, or a form with a file. */
  readonly body?: object | Uint8Array | FormData | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * One call each. They reject with an ApiError (of 401, 403 and 429 its own kind) or NetworkError, and with the reason of
 * the caller's signal when that was aborted.
 */
export interface Http {
  json(request: HttpRequest): Promise<Json>;
  bytes(request: HttpRequest): Promise<Buffer>;
  /** Resolves with the head of the answer; its body fails after a silence of {@link SILENCE_MS}. */
  stream(request: HttpRequest): Promise<AsyncIterable<Uint8Array>>;
}

/** Longest silence of a stream, ms: three times the interval of the service's signs of life. */
const SILENCE_MS = 45_000;

/** Size limit of a JSON response, bytes: an endless one must not fill the memory. */
const MAX_JSON_BYTES = 4 * 1024 * 1024;
const MAX_DOCUMENT_BYTES = 128 * 1024 * 1024;

/**
 * Creates the transport. The secret stays in this closure, so that printing the client does not
 * reveal it.
 */
export function createHttp(options: HttpOptions): Http {
  const { prefix, apiSecret, fetchImpl, dispatcher, onCall } = options;
  const root = `${options.base}${prefix}`;
  const notices = createDeprecationNotices(root, options.onDeprecated);

  /** @param answer null: no response */
  function notifyObserver(
    request: HttpRequest,
    startedAt: number,
    answer: WholeAnswer | null,
  ): void {
    if (onCall === undefined) return;
    const { method, route, body: sent } = request;
    const path = `${prefix}${pathOf(request)}`;
    const call = { method, route: `${prefix}${route}`, path, sent, startedAt, answer };
    try {
      onCall(redactedCall(call, apiSecret));
    } catch {
      // An error of the observer must not fail the call.
    }
  }

  function initOf(request: HttpRequest, accept: string, signals: readonly AbortSignal[]) {
    const content = contentOf(request.body);
    // `dispatcher` is undici's extension of RequestInit; a redirect would carry the secret to another address.
    const init: Omit<RequestInit, 'dispatcher'> & { dispatcher?: unknown } = {
      method: request.method,
      headers: {
        authorization: `Bearer ${apiSecret}`,
        accept,
        ...content.headers,
        ...request.headers,
      },
      redirect: 'error',
      signal: AbortSignal.any([...signals]),
      ...(content.body === undefined ? {} : { body: content.body }),
      ...(dispatcher === undefined ? {} : { dispatcher }),
    };
    return init as RequestInit;
  }

  async function exchange(request: HttpRequest, accept: string, most: number) {
    const { method, route, timeoutMs = options.timeoutMs, signal } = request;
    signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(timeoutMs);
    const signals = signal === undefined ? [timeout] : [timeout, signal];
    const startedAt = Date.now();
    try {
      const init = initOf(request, accept, signals);
      const response = await fetchImpl(`${root}${pathOf(request)}`, init);
      const bytes = await readUpTo(most, response);
      notices.read({ method, route: `${prefix}${route}` }, response.headers);
      notifyObserver(request, startedAt, {
        status: response.status,
        headers: response.headers,
        bytes,
      });
      return { response, bytes };
    } catch (error) {
      notifyObserver(request, startedAt, null);
      signal?.throwIfAborted();
      const trouble = timeout.aborted ? `No answer within ${timeoutMs} ms` : 'No connection';
      throw new NetworkError(`${trouble}: ${method} ${route}`, {
        cause: redactedCause(error, apiSecret),
      });
    }
  }

  function refuse({ status, headers }: Answer & Pick<Response, 'status'>, bytes: Buffer): never {
    const body = parse(redactText(bytes.toString('utf8'), apiSecret));
    if (status === 401) throw new AuthenticationError(status, body);
    if (status === 403) throw new ForbiddenError(status, body);
    const Refusal = status === 429 ? RateLimitedError : ApiError;
    throw new Refusal(status, body, retryAfterMs(headers?.get('retry-after') ?? null));
  }

  return {
    async json(request) {
      const { response, bytes } = await exchange(request, 'application/json', MAX_JSON_BYTES);
      if (!response.ok) refuse(response, bytes);
      const body = parse(bytes.toString('utf8'));
      if (!isObject(body)) {
        throw new NetworkError(
          `The answer is not a JSON object: ${request.method} ${request.route}`,
        );
      }
      return body;
    },

    async stream(request) {
      const { method, route, signal } = request;
      signal?.throwIfAborted();
      const silence = createSilence(options.timeoutMs);
      const signals = signal === undefined ? [silence.signal] : [silence.signal, signal];
      const failed = (error: unknown) => {
        signal?.throwIfAborted();
        const cause = redactedCause(error, apiSecret);
        return new NetworkError(`The stream broke off: ${method} ${route}`, { cause });
      };
      let response: Response;
      try {
        const init = initOf(request, 'text/event-stream', signals);
        response = await fetchImpl(`${root}${pathOf(request)}`, init);
        if (!response.ok) refuse(response, await readUpTo(MAX_JSON_BYTES, response));
      } catch (error) {
        silence.end();
        throw error instanceof ApiError ? error : failed(error);
      }
      return piecesOf(response, silence, failed);
    },

    async bytes(request) {
      const { response, bytes } = await exchange(request, 'application/pdf', MAX_DOCUMENT_BYTES);
      if (!response.ok) refuse(response, bytes);
      return bytes;
    },
  };
}

/** Aborts what is silent for too long. */
function createSilence(firstMs: number) {
  const controller = new AbortController();
  const abort = () => controller.abort();
  let timer = setTimeout(abort, firstMs);
  return {
    signal: controller.signal,
    heard() {
      clearTimeout(timer);
      timer = setTimeout(abort, SILENCE_MS);
    },
    end: () => clearTimeout(timer),
  };
}

async function* piecesOf(
  response: Answer,
  silence: ReturnType<typeof createSilence>,
  failed: (error: unknown) => Error,
): AsyncGenerator<Uint8Array> {
  try {
    silence.heard();
    for await (const piece of response.body ?? []) {
      silence.heard();
      yield piece;
    }
  } catch (error) {
    throw failed(error);
  } finally {
    silence.end();
  }
}

type WholeAnswer = NonNullable<FinishedCall['answer']>;

function pathOf({ route, params = {}, query = {} }: HttpRequest): string {
  const path = route.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) asked.set(name, String(value));
  }
  return asked.size === 0 ? path : `${path}?${asked.toString()}`;
}

function contentOf(body: HttpRequest['body']): {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: NonNullable<RequestInit['body']>;
} {
  if (body === undefined) return { headers: {} };
  // The content type of a form is set by fetch: it names the boundary.
  if (body instanceof FormData) return { headers: {}, body };
  return body instanceof Uint8Array
    ? { headers: { 'content-type': 'application/pdf' }, body }
    : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

/** The part of `Response` this needs; a custom `fetchImpl` may provide no more. */
interface Answer {
  readonly body?: AsyncIterable<Uint8Array> | null;
  readonly headers?: Pick<Headers, 'get'>;
  arrayBuffer?(): Promise<ArrayBuffer>;
  text(): Promise<string>;
}

async function readUpTo(most: number, response: Answer): Promise<Buffer> {
  if (!response.body) {
    return response.arrayBuffer === undefined
      ? Buffer.from(await response.text())
      : Buffer.from(await response.arrayBuffer());
  }
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of response.body) {
    length += chunk.length;
    if (length > most) throw new RangeError(`The answer is longer than ${most} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Retry-After: seconds, or a date (RFC 9110 §10.2.3). */
function retryAfterMs(header: string | null): number | null {
  if (header === null) return null;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
