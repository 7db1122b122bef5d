import type { Call } from './layouts.ts';

/** Refusal of the service, or no response (`status` 0). */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
  readonly status: number;
  /** Stable code of the problem; `UNREACHABLE` without a response. */
  readonly code: string;

  constructor(status: number, code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    this.code = code;
  }
}

export interface ServiceRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query. */
  readonly path: string;
  readonly body?: object;
  readonly signal?: AbortSignal;
  /** Secret of the resource. */
  readonly bearer?: string;
  /** Creates the proof of the device, for all requests after enrolment. */
  readonly prove?: (call: Call) => string | Promise<string>;
  /** Timeout, ms; default 15000. */
  readonly timeoutMs?: number;
}

export interface Service {
  /** @throws ServiceError */
  call<Answer>(request: ServiceRequest): Promise<Answer>;
}

export interface ServiceOptions {
  /** Origin of the service, without a path. */
  readonly baseUrl: string;
  readonly fetchImpl?: typeof fetch;
  readonly now?: () => Date;
}

/** Client of the device API: JSON over HTTP, each request with its own proof. */
export function createService(options: ServiceOptions): Service {
  const { fetchImpl = fetch, now = () => new Date() } = options;
  const root = options.baseUrl.replace(/\/+$/, '');

  async function exchange(request: ServiceRequest): Promise<{ status: number; text: string }> {
    const { method, path, bearer, prove, signal, timeoutMs = 15_000 } = request;
    const body = request.body === undefined ? '' : JSON.stringify(request.body);
    const headers: Record<string, string> = { accept: 'application/json' };
    if (body !== '') headers['content-type'] = 'application/json';
    if (bearer !== undefined) headers['authorization'] = `Bearer ${bearer}`;
    if (prove !== undefined) headers['dpop'] = await prove({ method, path, body, time: now() });
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await fetchImpl(`${root}${path}`, {
        method,
        headers,
        signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
        ...(body === '' ? {} : { body }),
      });
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw new ServiceError(0, 'UNREACHABLE', `No answer: ${method} ${path}`, error);
    }
  }

  return {
    async call<Answer>(request: ServiceRequest) {
      const { status, text } = await exchange(request);
      const answer = parse(text);
      if (status >= 200 && status < 300) return answer as Answer;
      const { code = 'UNKNOWN', error = `The service answered ${status}.` } = answer as {
        code?: string;
        error?: string;
      };
      throw new ServiceError(status, code, error);
    },
  };
}

function parse(text: string): object {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value;
  } catch {
    // A response that is not JSON has no usable problem.
  }
  return {};
}
