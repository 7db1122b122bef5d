import { ApiError, AuthenticationError, ForbiddenError, NetworkError } from './errors.ts';

export interface HttpOptions {
  /** With `/v3`, without a slash at the end. */
  readonly root: string;
  readonly apiSecret: string;
  readonly fetchImpl: typeof fetch;
  readonly dispatcher: unknown;
}

export interface Http {
  /**
   * One call, JSON in and out.
   *
   * @param path below `/v3`, already percent-encoded
   * @throws AuthenticationError, ForbiddenError, ApiError, NetworkError
   */
  call(request: HttpRequest): Promise<Readonly<Record<string, unknown>>>;
}

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly timeoutMs: number;
}

/** The transport. The secret stays in this closure, so that printing the client shows none. */
export function createHttp({ root, apiSecret, fetchImpl, dispatcher }: HttpOptions): Http {
  async function exchange({ method, path, body, timeoutMs }: HttpRequest) {
    // `dispatcher` is undici's extension of RequestInit; a redirect would carry the secret to another address.
    const init: Omit<RequestInit, 'dispatcher'> & { dispatcher?: unknown } = {
      method,
      headers: {
        authorization: `Bearer ${apiSecret}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(dispatcher === undefined ? {} : { dispatcher }),
    };
    try {
      const response = await fetchImpl(`${root}${path}`, init as RequestInit);
      return { status: response.status, ok: response.ok, text: await response.text() };
    } catch (error) {
      const timedOut = error instanceof Error && error.name === 'TimeoutError';
      throw new NetworkError(
        timedOut
          ? `No answer within ${timeoutMs} ms: ${method} ${path}`
          : `No connection: ${method} ${path}`,
        { cause: error },
      );
    }
  }

  return {
    async call(request) {
      const { status, ok, text } = await exchange(request);
      const body = parse(text);
      if (status === 401) throw new AuthenticationError(status, body);
      if (status === 403) throw new ForbiddenError(status, body);
      if (!ok) throw new ApiError(status, body);
      if (typeof body !== 'object' || body === null || Array.isArray(body)) {
        throw new NetworkError(
          `The answer is not a JSON object: ${request.method} ${request.path}`,
        );
      }
      return body as Readonly<Record<string, unknown>>;
    },
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
