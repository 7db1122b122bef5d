import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { Server as NetServer, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setImmediate, setTimeout as pause } from 'node:timers/promises';
import { Refusal } from '../../domain/shared/refusal.ts';
import { addressBlocks, isIn, plainAddress } from './caller.ts';
import { type Connections, type ConnectionLimits, createConnections } from './connections.ts';
import { problemOf } from '../problems/problem.ts';

export interface BoundedServerOptions {
  /** PEM key and certificates; omitted: plain HTTP. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /**
   * Requests client certificates, never requires them: the guard decides. With `ca` only
   * certificates issued below it count; without, any, because guards pin fingerprints.
   */
  readonly clientCertificates?: { readonly ca?: string };
  /** Refuses requests without `Host` itself; default true. */
  readonly requireHostHeader?: boolean;
  /** Addresses many callers share. */
  readonly trustProxy: readonly string[];
  /** Default: 50,000 connections in total, 500 per address. */
  readonly limits?: Omit<ConnectionLimits, 'isShared'>;
}

/** HTTP server whose connections are bounded, for the API and the console. */
export interface BoundedServer {
  readonly server: Server;
  readonly connections: Connections;
  /**
   * Reads what has arrived, stops accepting, lets requests in progress end, closes what is left after the deadline.
   *
   * @param onDeaf called once nothing more is accepted
   */
  close(deadlineMs: number, onDeaf?: () => void): Promise<void>;
}

/** Timeout of a request's head, ms. */
const HEADERS_TIMEOUT = 15_000;
/** Timeout of a whole request, ms; the time until its response is not limited here. */
const REQUEST_TIMEOUT = 60_000;
/**
 * Idle timeout of a connection, ms: longer than that of load balancers (60 s), so that they close
 * first.
 */
const KEEP_ALIVE_TIMEOUT = 75_000;
/**
 * Time in which kept connections of proxies stay open after the server accepts no more, ms: each ends with its next
 * answer, which says so, and not under a request that is on its way.
 */
const LEAVING = 1_000;
/** Time in which connections that queue are accepted, though more come, ms. */
const LONGEST_ACCEPTING = 500;
/** Time for a refused connection to read the response, ms. */
const LINGER = 2_000;

export function createBoundedServer(options: BoundedServerOptions): BoundedServer {
  const { tls, trustProxy, limits = { total: 50_000, perAddress: 500 } } = options;
  const server = createServer(options);
  const proxies = addressBlocks(trustProxy);
  const connections = createConnections(server, tls !== undefined, {
    ...limits,
    isShared: (address) => isIn(proxies, plainAddress(address)),
  });
  return {
    server,
    connections,
    close: async (deadlineMs, onDeaf = () => undefined) => {
      await acceptQueued(server);
      const closed = stopListening(server);
      onDeaf();
      if (trustProxy.length > 0) {
        await Promise.race([closed, pause(LEAVING)]);
        await readArrived();
      }
      server.closeIdleConnections();
      connections.closeSilent();
      const deadline = setTimeout(() => connections.closeAll(), deadlineMs);
      await closed;
      clearTimeout(deadline);
      // Ends the checks of timeouts, too, whose timer would keep the server, and all it answers with, for ever.
      server.close();
    },
  };
}

/**
 * Turns of the event loop until connections in the queue of this machine are accepted, and their requests read: the loop
 * accepts one a turn, and closing resets the others, on which a proxy may have sent a POST that it sends no second time.
 */
async function acceptQueued(server: Server): Promise<void> {
  let accepted = 0;
  const count = () => (accepted += 1);
  server.on('connection', count);
  const deadline = performance.now() + LONGEST_ACCEPTING;
  for (let idle = 0; idle < 2 && performance.now() < deadline;) {
    const before = accepted;
    await readArrived();
    idle = accepted === before ? idle + 1 : 0;
  }
  server.off('connection', count);
}

/** Turns of the event loop until requests that are with this machine already are read. */
async function readArrived(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
}

/** Accepts no more; unlike the server's own close it leaves idle connections. @returns settled when none is left */
function stopListening(server: Server): Promise<void> {
  return new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
}

function createServer({
  tls,
  clientCertificates,
  requireHostHeader = true,
}: BoundedServerOptions): Server {
  const common = {
    headersTimeout: HEADERS_TIMEOUT,
    requestTimeout: REQUEST_TIMEOUT,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
    requireHostHeader,
  };
  const server =
    tls === undefined
      ? createHttpServer(common)
      : createHttpsServer({
          ...common,
          key: tls.key,
          cert: tls.cert,
          ...(clientCertificates?.ca === undefined ? {} : { ca: clientCertificates.ca }),
          handshakeTimeout: HEADERS_TIMEOUT,
          requestCert: clientCertificates !== undefined,
          rejectUnauthorized: false,
          minVersion: 'TLSv1.2',
        });
  server.maxRequestsPerSocket = 0;
  server.on('clientError', answerUnparsable);
  server.on('connect', (_request, socket) => answerRaw(socket, notImplemented));
  return server;
}

/** Status, reason phrase and sentence of a response written without an exchange. */
type RawAnswer = readonly [status: number, reason: string, detail: string];

/** Unknown methods, and CONNECT, for which there is no resource (RFC 9110 §9.1, §9.3.6). */
const notImplemented: RawAnswer = [501, 'Not Implemented', 'The method is not implemented here.'];

const unparsable: Readonly<Record<string, RawAnswer>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large', 'The header is too large.'],
  HPE_INVALID_VERSION: [505, 'HTTP Version Not Supported', 'Use HTTP/1.1.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout', 'The request did not arrive in time.'],
};

const malformed: RawAnswer = [400, 'Bad Request', 'The request is not valid HTTP.'];

/** Start of a request by a method that Node.js does not know (RFC 9112 §3). */
const UNKNOWN_METHOD = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+ \S+ HTTP\/1\.[01]\r?\n/;

function unparsableAs({ code = '', rawPacket }: ParserError): RawAnswer {
  const isMethod = code === 'HPE_INVALID_METHOD' && rawPacket !== undefined;
  if (isMethod && UNKNOWN_METHOD.test(rawPacket.toString('latin1'))) return notImplemented;
  return unparsable[code] ?? malformed;
}

interface ParserError extends Error {
  readonly code?: string;
  /** Bytes being parsed. */
  readonly rawPacket?: Buffer;
}

/** Responds to bytes that are not HTTP. */
function answerUnparsable(error: ParserError, socket: Socket): void {
  answerRaw(socket, unparsableAs(error));
}

/** Writes a problem to the socket directly: without a request there is no exchange. */
function answerRaw(socket: Duplex, [status, reason, detail]: RawAnswer): void {
  // Never writes into a response in progress, like Node's own handler.
  const { _httpMessage: answering } = socket as { _httpMessage?: { headersSent: boolean } };
  if (!socket.writable || answering?.headersSent === true) {
    socket.destroy();
    return;
  }
  const requestId = crypto.randomUUID();
  const refusal = new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '', detail }] });
  const body = JSON.stringify(problemOf(refusal, requestId, status).body);
  socket.end(
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: application/problem+json\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nx-request-id: ${requestId}\r\n` +
      `x-trace-id: ${requestId.replaceAll('-', '')}\r\nconnection: close\r\n\r\n${body}`,
  );
  // A peer that does not close its side would hold the connection for ever.
  setTimeout(() => socket.destroy(), LINGER).unref();
}
