import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Log } from '../application/ports/log.ts';
import { Refusal } from '../domain/shared/refusal.ts';
import { type AdmissionLimits, createAdmission } from './http/admission.ts';
import { createTakeAtDoor } from './http/atDoor.ts';
import { type CallerOptions, createCallerReader } from './http/caller.ts';
import { createDispatcher } from './http/dispatcher.ts';
import type { Mount } from './http/mount.ts';
import { createDoor } from './http/door.ts';
import type { ExchangeHost } from './http/exchange.ts';
import { createPipeline } from './http/pipeline.ts';
import { problemOf } from './http/problems.ts';
import type { RequestAudit } from './http/requestAudit.ts';
import type { Route } from './http/route.ts';
import type { HttpMetrics } from './http/telemetry.ts';

export interface ApiServerOptions {
  /** The whole surface; the first of two rows that match serves. */
  readonly routes: readonly Route[];
  /** Programs of their own on the same address; see {@link Mount}. */
  readonly mounts?: readonly Mount[];
  readonly log: Log;
  readonly metrics: HttpMetrics;
  readonly limits: AdmissionLimits;
  readonly caller: CallerOptions;
  /** Told of what is refused and what is disclosed; omitted: nobody. */
  readonly audit?: RequestAudit;
  /**
   * PEM texts. Client certificates are asked for, never demanded: the guard decides whether one is needed. With
   * `clientCa` only those count whose chain leads there; without, any, since guards pin fingerprints.
   */
  readonly tls?: { readonly key: string; readonly cert: string; readonly clientCa?: string };
  /** Whether every request is logged; failures always are. Default true. */
  readonly logRequests?: boolean;
}

export interface ApiServer {
  /** @param port 0: any free one */
  start(listen: { readonly port: number; readonly host?: string }): Promise<void>;
  /**
   * Stops accepting, answers waiting polls, lets work in flight end, closes.
   *
   * @param deadlineMs after which what is still open is cut off; default 10 s
   */
  stop(deadlineMs?: number): Promise<void>;
  /** @throws Error when not started */
  address(): { readonly host: string; readonly port: number; readonly origin: string };
}

const noAudit: RequestAudit = { refused: () => undefined, answering: () => undefined };

/** Longest time to receive a request's head, ms. */
const HEADERS_TIMEOUT = 15_000;
/** Longest time to receive a whole request, ms; how long it then waits for its answer is not limited here. */
const REQUEST_TIMEOUT = 60_000;
/** Longer than load balancers keep idle connections (60 s), so that they close first. */
const KEEP_ALIVE_TIMEOUT = 75_000;
/** How long a refused connection may take to read why, ms. */
const LINGER = 2_000;

const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const overTls = { 'strict-transport-security': 'max-age=31536000' };

export function createApiServer(options: ApiServerOptions): ApiServer {
  const { routes, log, metrics, tls } = options;
  const host: ExchangeHost = {
    caller: createCallerReader(options.caller, tls?.clientCa !== undefined),
    waiting: new Set(),
    inFlight: 0,
    stopping: false,
  };
  const sentAlways = tls === undefined ? securityHeaders : { ...securityHeaders, ...overTls };
  const admission = createAdmission(options.limits, () => host.inFlight);
  const pipeline = createPipeline({
    host,
    admission,
    log,
    metrics,
    securityHeaders: sentAlways,
    logRequests: options.logRequests ?? true,
    audit: options.audit ?? noAudit,
  });
  const dispatch = createDispatcher(routes, pipeline, options.mounts);
  const server = createServer(dispatch, tls);
  const door = createDoor(server, {
    opened: tls === undefined ? 'connection' : 'secureConnection',
    patienceMs: { first: HEADERS_TIMEOUT, next: KEEP_ALIVE_TIMEOUT },
    take: createTakeAtDoor({
      ...{ host, admission, metrics, pipeline, routes, keepAliveMs: KEEP_ALIVE_TIMEOUT },
      securityHeaders: sentAlways,
    }),
  });

  return {
    start: ({ port, host: address = '0.0.0.0' }) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen({ port, host: address, backlog: 4096 }, () => {
          server.off('error', reject);
          admission.start();
          door.start();
          resolve();
        });
      }),
    stop: async (deadlineMs = 10_000) => {
      host.stopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const exchange of [...host.waiting]) exchange.release();
      server.closeIdleConnections();
      door.stop();
      const deadline = setTimeout(() => {
        server.closeAllConnections();
        door.cutOff();
      }, deadlineMs);
      await closed;
      clearTimeout(deadline);
      admission.stop();
    },
    address: () => {
      const address = server.address() as AddressInfo | null;
      if (address === null) throw new Error('The server is not started.');
      const name =
        address.address === '0.0.0.0' || address.address === '::' ? '127.0.0.1' : address.address;
      const scheme = tls === undefined ? 'http' : 'https';
      const shown = address.family === 'IPv6' && name.includes(':') ? `[${name}]` : name;
      return { host: name, port: address.port, origin: `${scheme}://${shown}:${address.port}` };
    },
  };
}

function createServer(dispatch: RequestListener, tls: ApiServerOptions['tls']): Server {
  const timeouts = {
    headersTimeout: HEADERS_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    requireHostHeader: false,
  };
  const server =
    tls === undefined
      ? createHttpServer(timeouts, dispatch)
      : createHttpsServer(
          {
            ...timeouts,
            key: tls.key,
            cert: tls.cert,
            ...(tls.clientCa === undefined ? {} : { ca: tls.clientCa }),
            handshakeTimeout: HEADERS_TIMEOUT,
            requestCert: true,
            rejectUnauthorized: false,
            minVersion: 'TLSv1.2',
          },
          dispatch,
        );
  server.maxRequestsPerSocket = 0;
  server.on('checkContinue', dispatch);
  server.on('checkExpectation', dispatch);
  server.on('clientError', answerUnparsable);
  return server;
}

const unparsable: Readonly<
  Record<string, readonly [status: number, reason: string, detail: string]>
> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The header is too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time.'],
};

/** What arrived is not HTTP, so there is no exchange: the problem is written to the socket as it is. */
function answerUnparsable(error: Error & { code?: string }, socket: Socket): void {
  // As Node's own handler does: never into the middle of an answer being written.
  const { _httpMessage: answering } = socket as { _httpMessage?: { headersSent: boolean } };
  if (!socket.writable || answering?.headersSent === true) {
    socket.destroy();
    return;
  }
  const [status, reason, detail] = unparsable[error.code ?? ''] ?? [
    400,
    'Bad Request',
    'The request is not valid HTTP.',
  ];
  const requestId = crypto.randomUUID();
  const refusal = new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '', detail }] });
  const body = JSON.stringify(problemOf(refusal, requestId, status).body);
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\nconnection: close\r\n\r\n${body}`,
  );
  // Who does not end its side would hold the connection for ever.
  setTimeout(() => socket.destroy(), LINGER).unref();
}
