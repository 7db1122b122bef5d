import { ApiError, ClientError, NetworkError, RateLimitedError } from '../index.ts';
import { isObject } from '../json.ts';
import {
  CALLBACK_PATH,
  createLogin,
  type LoginOptions,
  type LoginStatus,
  type LoginWay,
  type VisitorSession,
} from './login.ts';

/** A request to one of the login's addresses, as any framework has it. */
export interface LoginRequest {
  readonly method: string;
  /** Address as requested, path and query. */
  readonly address: string;
  readonly contentType: string | null | undefined;
  /** Parsed JSON. */
  readonly body: unknown;
}

export interface LoginReply {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** JSON; null: none. */
  readonly body: object | null;
}

/** The login's addresses, below its path. Null: another address or method. */
export interface LoginEndpoints {
  answer(request: LoginRequest, visitor: VisitorSession): Promise<LoginReply | null>;
}

const ways: readonly LoginWay[] = ['push', 'qr', 'app'];

/** Origin of addresses without one: only path and query count. */
const NOWHERE = 'https://login.invalid';

/** Address as requested, with or without origin; null: it cannot be parsed, as `*`. */
export function addressOf(requested: string): URL | null {
  // Joined, not resolved: `//` would begin a host.
  const address = requested.startsWith('/') ? `${NOWHERE}${requested}` : requested;
  return URL.canParse(address) ? new URL(address) : null;
}

/**
 * Answers `POST start` (JSON: `way`, `id`), `GET link`, `GET status` and `POST logout` below the path, and the callback.
 *
 * Problems that the user can do something about are answered with `reason`; others reject, for the framework's own error
 * page.
 */
export function createEndpoints(options: LoginOptions): LoginEndpoints {
  const login = createLogin(options);
  const { path = '/login', home = '/' } = options;

  async function start({ contentType, body }: LoginRequest, visitor: VisitorSession) {
    // A form of another site cannot send JSON without being asked first: nobody starts a login in another's browser.
    if (contentType?.startsWith('application/json') !== true) return reply(415, null);
    const { way, id } = isObject(body) ? body : {};
    const wanted = ways.find((each) => each === way);
    const isNamed = wanted !== 'push' || (typeof id === 'string' && id.trim() !== '');
    if (wanted === undefined || !isNamed) return reply(400, { reason: 'INVALID_REQUEST' });
    const named = typeof id === 'string' ? id.trim() : '';
    return reply(200, await login.start(visitor, wanted, named));
  }

  async function link(visitor: VisitorSession) {
    const fresh = await login.link(visitor);
    return fresh === null ? reply(404, null) : reply(200, { link: fresh });
  }

  async function callback(returned: URL, visitor: VisitorSession) {
    const status = await login.callback(visitor, returned);
    const query = status.state === 'OK' ? '' : `?login=${reasonOf(status)}`;
    return reply(303, null, { location: `${home}${query}` });
  }

  async function answer(request: LoginRequest, visitor: VisitorSession) {
    const { method } = request;
    const address = addressOf(request.address);
    if (address === null) return null;
    switch (`${method} ${address.pathname}`) {
      case `POST ${path}/start`:
        return start(request, visitor);
      case `GET ${path}/link`:
        return link(visitor);
      case `GET ${path}/status`:
        return reply(200, await login.status(visitor));
      case `GET ${CALLBACK_PATH}`:
        return callback(address, visitor);
      case `POST ${path}/logout`:
        await login.logout(visitor);
        return reply(204, null);
      default:
        return null;
    }
  }

  return {
    answer: async (request, visitor) => {
      try {
        return await answer(request, visitor);
      } catch (error) {
        const answered = refusal(error);
        if (error instanceof ClientError) options.onRefused?.(error);
        return answered;
      }
    },
  };
}

function reasonOf(status: LoginStatus): string {
  return status.state === 'FAILED' ? status.reason : status.state;
}

/**
 * Error for the framework's own page: without the `status` of an ApiError, which frameworks would answer the browser
 * with.
 */
export function unexplained(error: unknown): unknown {
  return error instanceof ApiError
    ? new Error('The platform refused the login.', { cause: error })
    : error;
}

/** @throws Error when the user can do nothing about it */
function refusal(error: unknown): LoginReply {
  if (error instanceof NetworkError) return reply(503, { reason: 'SERVICE_AWAY' });
  if (!(error instanceof ApiError)) throw error;
  if (error.status >= 500) return reply(503, { reason: 'SERVICE_AWAY' }, retryAfter(error));
  if (error instanceof RateLimitedError) {
    return reply(429, { reason: error.code ?? 'RATE_LIMITED' }, retryAfter(error));
  }
  if (error.status === 404 || error.status === 400) {
    return reply(error.status, { reason: error.code ?? 'UNKNOWN' });
  }
  throw unexplained(error);
}

/** Header of the service's own answer, which may be the visitor's; none where it named no time. */
function retryAfter({ retryAfterMs }: ApiError): Readonly<Record<string, string>> {
  return retryAfterMs === null ? {} : { 'retry-after': String(Math.ceil(retryAfterMs / 1000)) };
}

function reply(
  status: number,
  body: object | null,
  headers: Readonly<Record<string, string>> = {},
): LoginReply {
  return { status, body, headers: { 'cache-control': 'no-store', ...headers } };
}
