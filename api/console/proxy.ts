import { randomUUID } from 'node:crypto';
import {
  Agent,
  type AgentOptions,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as httpRequest,
  type RequestListener,
  type ServerResponse,
} from 'node:http';
import { Agent as SecureAgent, request as httpsRequest } from 'node:https';
import { pipeline } from 'node:stream/promises';
import type { TLSSocket } from 'node:tls';
import { urlToHttpOptions } from 'node:url';
import { Overloaded } from '../../application/ports/faults.ts';
import type { Log } from '../../application/ports/log.ts';
import { isRefusal, Refusal, type RefusalCode } from '../../domain/shared/refusal.ts';
import type { BuiltPages } from '../pages/builtPages.ts';
import { AnsweredAs, problemOf } from '../problems/problem.ts';
import { deleteTokenCookie, storeTokenCookie, type TokenCookie, tokenIn } from './cookies.ts';

import { admitPath, admitHost, allowedMethods, isForApi, isPlain } from './gate.ts';

export interface ConsoleProxyOptions {
  /** Origin of the operator API. */
  readonly upstream: () => string;
  /** True when the upstream is this process, whose certificate need not be verified. */
  readonly isOwnUpstream: boolean;
  /** Host names of the console; see {@link admitPath}. */
  readonly hosts: () => ReadonlySet<string>;
  /** Pages for every path outside of the API. */
  readonly pages: BuiltPages;
  /** Sends cookies over TLS only. */
  readonly secureCookies: boolean;
  /** Address of the caller, after trusted proxies. */
  readonly ip: (request: IncomingMessage) => string;
  /**
   * Timeout of the upstream until its response begins and between its parts, ms; the assistant has
   * at least 55 s.
   */
  readonly timeoutMs: number;
  readonly log: Log;
}

export interface ConsoleProxy {
  readonly listener: RequestListener;
  /** Answers a request whose body does not arrive. */
  refuse(response: ServerResponse, error: Error): void;
  stop(): void;
}

/** Size limit of bodies to the operator API. */
const MAX_BODY_BYTES = 256 * 1024;
/**
 * Prefix of the assistant: questions may contain a recording, and take 50 s to answer (contract
 * §12).
 */
const ASSISTANT = '/api/v1/ai/';
const ASSISTANT_MS = 55_000;
/** Size limits of larger bodies by the prefix of their path, bytes; a file of a register has 1 MB before base64. */
const largerBodies = [
  [ASSISTANT, 1024 * 1024],
  ['/v3/admin/registers/', 1400 * 1024],
] as const;
/** Size limit of responses that carry a token. */
const MAX_TOKEN_ANSWER = 64 * 1024;

/** Request headers passed to the API; credentials come from cookies only. */
const forwardedRequestHeaders = [
  'accept',
  'accept-language',
  'content-type',
  'if-match',
  'if-none-match',
  'user-agent',
];
/** Response headers passed to the browser. */
const forwardedResponseHeaders = [
  ...['allow', 'cache-control', 'content-disposition', 'content-length', 'content-type', 'etag'],
  ...['last-modified', 'retry-after', 'x-request-id'],
  ...['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'],
];

const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
} as const;

/** Paths whose response carries a token, and the cookie that stores it. */
const tokenCookies: Readonly<Record<string, TokenCookie>> = {
  '/v3/admin/auth/login': 'admin_mfa',
  '/v3/admin/auth/mfa': 'admin_session',
};
const LOGOUT = '/v3/admin/auth/logout';
const SECOND_STEP = '/v3/admin/auth/mfa';

/**
 * Serves the console's pages and proxies the operator API from the same origin: tokens stay in
 * HttpOnly cookies and are forwarded as Bearer tokens. Failures of the upstream are reported in
 * general terms; the cause is logged under the request id.
 */
export function createConsoleProxy(options: ConsoleProxyOptions): ConsoleProxy {
  const { upstream, isOwnUpstream, hosts, pages, secureCookies, ip, timeoutMs, log } = options;
  /**
   * Connections that are kept end now and then just when a request is sent over them. What only reads is sent again then;
   * what changes something must not be (RFC 9110 §9.2.2), and has a connection of its own.
   */
  const agents = {
    kept: agentsOf({ keepAlive: true }, isOwnUpstream),
    fresh: agentsOf({ keepAlive: false }, isOwnUpstream),
  };

  function headersFor(request: IncomingMessage, path: string, requestId: string) {
    const headers: OutgoingHttpHeaders = {
      'x-request-id': requestId,
      'x-forwarded-for': ip(request),
    };
    for (const name of forwardedRequestHeaders) {
      const value = request.headers[name];
      if (value !== undefined) headers[name] = value;
    }
    const token = tokenIn(
      request,
      path === SECOND_STEP ? 'admin_mfa' : 'admin_session',
      secureCookies,
    );
    if (token !== null) headers['authorization'] = `Bearer ${token}`;
    return headers;
  }

  /** @throws Refusal DEPENDENCY_UNAVAILABLE when no response begins */
  async function ask(
    request: IncomingMessage,
    response: ServerResponse,
    path: string,
    requestId: string,
  ) {
    const body = await bodyOf(request, path);
    const target = new URL(upstream());
    const isSafe = request.method === 'GET' || request.method === 'HEAD';

    function send(agent: Agent, isLast: boolean): Promise<IncomingMessage> {
      return new Promise((resolve, reject) => {
        const asking = (agent instanceof SecureAgent ? httpsRequest : httpRequest)(
          {
            ...urlToHttpOptions(target),
            agent,
            method: request.method,
            path: request.url,
            timeout: path.startsWith(ASSISTANT) ? Math.max(timeoutMs, ASSISTANT_MS) : timeoutMs,
            headers: {
              ...headersFor(request, path, requestId),
              ...(body.length > 0 ? { 'content-length': body.length } : {}),
            },
          },
          resolve,
        );
        asking.on('timeout', () =>
          asking.destroy(new Error('The operator API did not respond in time.')),
        );
        asking.on('error', (cause: NodeJS.ErrnoException) => {
          // A caller that went away resets it as well, and nobody waits for the answer then.
          const isDropped = cause.code === 'ECONNRESET' && !response.destroyed;
          if (!isLast && asking.reusedSocket && isDropped)
            resolve(send(agents.fresh[target.protocol as Scheme], true));
          else reject(new Refusal('DEPENDENCY_UNAVAILABLE', { cause }));
        });
        response.once('close', () => asking.destroy());
        asking.end(body);
      });
    }

    const { kept, fresh } = agents;
    return send((isSafe ? kept : fresh)[target.protocol as Scheme], !isSafe);
  }

  async function serve(request: IncomingMessage, response: ServerResponse, requestId: string) {
    if (isForApi(request)) return serveApi(request, response, requestId);
    admitHost(request, hosts());
    pages.answer(request, response);
  }

  async function serveApi(request: IncomingMessage, response: ServerResponse, requestId: string) {
    const path = admitPath(request, hosts());
    const signsOut = path === LOGOUT && request.method === 'POST';
    if (signsOut) {
      const gone = (['admin_mfa', 'admin_session'] as const).map((name) =>
        deleteTokenCookie(name, secureCookies),
      );
      response.setHeader('set-cookie', gone);
    }
    const answer = await ask(request, response, path, requestId);
    const status = answer.statusCode ?? 502;
    if (status >= 500) {
      answer.destroy();
      log.warn({ requestId, path, status }, 'The operator API failed.');
      throw new UpstreamFailure(status === 503 ? 503 : 502, answer.headers['retry-after'] ?? null);
    }
    const cookie = request.method === 'POST' && status < 300 ? tokenCookies[path] : undefined;
    if (cookie !== undefined) await answerWithCookie(answer, response, cookie);
    else {
      response.writeHead(status, backHeaders(answer.headers));
      await pipeline(answer, response);
    }
  }

  /** Moves the token of a response into the cookie and forwards the rest. */
  async function answerWithCookie(
    answer: IncomingMessage,
    response: ServerResponse,
    name: TokenCookie,
  ) {
    const { token, ...rest } = JSON.parse((await read(answer, MAX_TOKEN_ANSWER)).toString()) as {
      readonly token?: unknown;
    };
    if (typeof token !== 'string')
      throw new Error('The response of the operator API has no token.');
    const cookies = [storeTokenCookie(name, token, secureCookies)];
    if (name === 'admin_session') cookies.push(deleteTokenCookie('admin_mfa', secureCookies));
    const body = Buffer.from(JSON.stringify(rest));
    response.writeHead(answer.statusCode ?? 200, {
      ...backHeaders(answer.headers),
      'content-length': body.length,
      'set-cookie': cookies,
    });
    response.end(body);
  }

  function fail(response: ServerResponse, error: unknown, requestId: string): void {
    if (response.headersSent || response.destroyed) {
      response.destroy();
      return;
    }
    const masked = error instanceof UpstreamFailure ? error : null;
    const unavailable = new Refusal('DEPENDENCY_UNAVAILABLE', { retryAfterSeconds: 2 });
    const problem = problemOf(isOwn(error) ? error : unavailable, requestId, masked?.status);
    if (!isOwn(error) && !isRefusal(error) && masked === null)
      log.error({ requestId, err: error }, 'The console proxy failed.');
    const retryAfter = masked?.retryAfter ?? problem.retryAfterSeconds;
    if (retryAfter !== null) response.setHeader('retry-after', retryAfter);
    setAllowHeader(response, problem.code);
    response.writeHead(problem.status, {
      ...securityHeaders,
      'content-type': 'application/problem+json',
      'x-request-id': requestId,
    });
    response.end(JSON.stringify(problem.body));
  }

  return {
    listener: (request, response) => {
      const requestId = randomUUID();
      if ((request.socket as Partial<TLSSocket>).encrypted === true) {
        response.setHeader('strict-transport-security', 'max-age=31536000');
      }
      serve(request, response, requestId).catch((error: unknown) =>
        fail(response, error, requestId),
      );
    },
    refuse: (response, error) => fail(response, error, randomUUID()),
    stop: () => {
      for (const agent of Object.values(agents.kept)) agent.destroy();
    },
  };
}

type Scheme = 'http:' | 'https:';

function agentsOf(options: AgentOptions, isOwnUpstream: boolean): Readonly<Record<Scheme, Agent>> {
  return {
    'http:': new Agent(options),
    'https:': new SecureAgent({ ...options, rejectUnauthorized: !isOwnUpstream }),
  };
}

/** True for refusals of the proxy itself: they tell nothing of what is behind it. */
function isOwn(error: unknown): boolean {
  if (error instanceof AnsweredAs || error instanceof Overloaded) return true;
  return isRefusal(error) && error.code !== 'DEPENDENCY_UNAVAILABLE';
}

/** Adds the `Allow` header (RFC 9110 §15.5.6). */
function setAllowHeader(response: ServerResponse, code: RefusalCode): void {
  if (code === 'METHOD_NOT_ALLOWED') response.setHeader('allow', allowedMethods);
}

/** Failure of the upstream, not disclosed to the browser. */
class UpstreamFailure extends Error {
  override readonly name = 'UpstreamFailure';
  readonly status: 502 | 503;
  readonly retryAfter: string | null;

  constructor(status: 502 | 503, retryAfter: string | null) {
    super('The operator API failed.');
    this.status = status;
    this.retryAfter = retryAfter;
  }
}

function backHeaders(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const back: OutgoingHttpHeaders = { ...securityHeaders };
  for (const name of forwardedResponseHeaders) {
    const value = headers[name];
    if (value !== undefined) back[name] = value;
  }
  const { location } = headers;
  if (location !== undefined && isPlain(location)) back['location'] = location;
  return back;
}

/** @throws Refusal PAYLOAD_TOO_LARGE */
async function bodyOf(request: IncomingMessage, path: string): Promise<Buffer> {
  if (request.method === 'GET' || request.method === 'HEAD') return Buffer.alloc(0);
  const larger = largerBodies.find(([prefix]) => path.startsWith(prefix));
  return read(request, larger?.[1] ?? MAX_BODY_BYTES);
}

async function read(stream: IncomingMessage, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > limit) throw new Refusal('PAYLOAD_TOO_LARGE');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
