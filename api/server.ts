import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Log } from '../application/ports/log.ts';
import { Refusal } from '../domain/shared/refusal.ts';
import { type AdmissionLimits, createAdmission } from './http/admission.ts';
import {
  addressBlocks,
  type CallerOptions,
  createCallerReader,
  isIn,
  plainAddress,
} from './http/caller.ts';
import { createConnections } from './http/connections.ts';
import { createDispatcher } from './http/dispatcher.ts';
import type { Mount } from './http/mount.ts';
import type { ExchangeHost } from './http/exchange.ts';
import { listen } from './http/listen.ts';
import { createPipeline } from './http/pipeline.ts';
import { problemOf } from './http/problems.ts';
import type { RequestAudit } from './http/requestAudit.ts';
import type { Route } from './http/route.ts';
import type { HttpMetrics } from './http/telemetry.ts';

export interface ApiServerOptions {
  /** Routes of the server; the first of two that match serves. */
  readonly routes: readonly Route[];
  /** Programs mounted on the same address; see {@link Mount}. */
  readonly mounts?: readonly Mount[];
  readonly log: Log;
  readonly metrics: HttpMetrics;
  readonly limits: AdmissionLimits;
  readonly caller: CallerOptions;
  /** Connection limits; default: 50,000 in total, 10,000 per address. */
  readonly connections?: { readonly total: number; readonly perAddress: number };
  /** Observer of refusals and disclosures; omitted: none. */
  readonly audit?: RequestAudit;
  /**
   * TLS key and certificates, PEM. Client certificates are requested, never required: the guard
   * decides. With `clientCa` only certificates issued below it count; without, any, because guards
   * pin fingerprints.
   */
  readonly tls?: { readonly key: string; readonly cert: string; readonly clientCa?: string };
  /** Logs every request; failures are always logged. Default true. */
  readonly logRequests?: boolean;
}

export interface ApiServer {
  /**
   * @param port 0: any free one @param variable name of the port's setting, for the error @throws
   * Error with the remedy when it cannot listen
   */
  start(listen: {
    readonly port: number;
    readonly host?: string;
    readonly variable?: string;
  }): Promise<void>;
  /**
   * Stops accepting, releases waiting polls, lets requests in progress end, closes.
   *
   * @param deadlineMs time until open connections are cut; default 10 s
   */
  stop(deadlineMs?: number): Promise<void>;
  /** @throws Error when not started */
  address(): { readonly host: string; readonly port: number; readonly origin: string };
}

const noAudit: RequestAudit = { refused: () => undefined, answering: () => undefined };

/** Timeout of a request's head, ms. */
const HEADERS_TIMEOUT = 15_000;
/** Timeout of a whole request, ms; the time until its response is not limited here. */
const REQUEST_TIMEOUT = 60_000;
/**
 * Idle timeout of a connection, ms: longer than that of load balancers (60 s), so that they close
 * first.
 */
const KEEP_ALIVE_TIMEOUT = 75_000;
/** Time for a refused connection to read the response, ms. */
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
  const server = createServer(tls);
  const proxies = addressBlocks(options.caller.trustProxy);
  const connections = createConnections(server, tls !== undefined, {
    ...(options.connections ?? { total: 50_000, perAddress: 10_000 }),
    isShared: (address) => isIn(proxies, plainAddress(address)),
  });
  const admission = createAdmission(options.limits, {
    inFlight: () => host.inFlight,
    unreadBytes: () => connections.unreadBytes,
  });
  const pipeline = createPipeline({
    host,
    admission,
    log,
    metrics,
    securityHeaders: sentAlways,
    logRequests: options.logRequests ?? true,
    audit: options.audit ?? noAudit,
    onAnswered: (response) => connections.answered(response),
  });
  const dispatch = createDispatcher(routes, pipeline, options.mounts);
  const listener: RequestListener = (request, response) => {
    if (connections.accept(request, response)) dispatch(request, response);
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, listener);

  return {
    start: async ({ port, host: address = '0.0.0.0', variable = 'SVC_PORT' }) => {
      await listen(server, { port, host: address, variable });
      admission.start();
    },
    stop: async (deadlineMs = 10_000) => {
      host.stopping = true;
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const exchange of [...host.waiting]) exchange.release();
      server.closeIdleConnections();
      connections.closeSilent();
      const deadline = setTimeout(() => connections.closeAll(), deadlineMs);
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

function createServer(tls: ApiServerOptions['tls']): Server {
  const timeouts = {
    headersTimeout: HEADERS_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    requireHostHeader: false,
  };
  const server =
    tls === undefined
      ? createHttpServer(timeouts)
      : createHttpsServer({
          ...timeouts,
          key: tls.key,
          cert: tls.cert,
          ...(tls.clientCa === undefined ? {} : { ca: tls.clientCa }),
          handshakeTimeout: HEADERS_TIMEOUT,
          requestCert: true,
          rejectUnauthorized: false,
          minVersion: 'TLSv1.2',
        });
  server.maxRequestsPerSocket = 0;
  server.on('clientError', answerUnparsable);
  return server;
}

const unparsable: Readonly<
  Record<string, readonly [status: number, reason: string, detail: string]>
> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The header is too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time.'],
};

/**
 * Responds to bytes that are not HTTP: without a request there is no exchange, so the problem is
 * written to the socket directly.
 */
function answerUnparsable(error: Error & { code?: string }, socket: Socket): void {
  // Never writes into a response in progress, like Node's own handler.
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
  // A peer that does not close its side would hold the connection for ever.
  setTimeout(() => socket.destroy(), LINGER).unref();
}
