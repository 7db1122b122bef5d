import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../application/ports/log.ts';
import type { Admission } from './admission.ts';
import { collectBody, discardRest, hasBody, noBytes, readBody } from './body.ts';
import type { Exchange, ExchangeHost, RawHeaders } from './exchange.ts';
import type { FoundRow } from './hotRows.ts';
import { createLargeBodies } from './largeBodies.ts';
import type { Mount } from './mount.ts';
import { NodeExchange } from './nodeExchange.ts';
import { parseRequest } from './parseRequest.ts';
import { asProblem, problemOf } from './problems.ts';
import { letGo, sendStream } from './streamedBody.ts';
import type { RequestAudit } from './requestAudit.ts';
import { type AddressLimit, limitHeaders, RateLimited } from './rateLimit.ts';
import type { RawParams, Reply, Route } from './route.ts';
import { callerGone, type HttpMetrics, unmatched } from './telemetry.ts';

/** Largest body of a route that does not say otherwise, in bytes. */
export const defaultMaxBodyBytes = 64 * 1024;

export interface PipelineDependencies {
  readonly host: ExchangeHost;
  readonly admission: Admission;
  readonly log: Log;
  readonly metrics: HttpMetrics;
  /** Sent with every answer; lower-case names. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** Whether every request is logged; failures always are. */
  readonly logRequests: boolean;
  /** Told of what is refused and what is disclosed. */
  readonly audit: RequestAudit;
}

/** The one way through which every request of every row goes, whichever router found the row. */
export interface Pipeline {
  /** @param query the text after `?`, still encoded */
  serve(
    route: Route,
    request: IncomingMessage,
    response: ServerResponse,
    found: Pick<FoundRow, 'params' | 'query'>,
  ): void;
  /** Serves a request that was read at the door. */
  serveAtDoor(found: FoundRow, exchange: Exchange): void;
  /** Hands a request to a program of its own; whoever it is, it is under load and limits like all. */
  hand(mount: Mount, path: string, request: IncomingMessage, response: ServerResponse): void;
  /** Answers a request no row takes. */
  refuse(
    request: IncomingMessage,
    response: ServerResponse,
    error: unknown,
    headers?: Readonly<Record<string, string>>,
  ): void;
}

/** What is written: head and body. */
interface Unwritten {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly body: string | Buffer | undefined;
  /** Of a text; default utf8. */
  readonly encoding?: 'latin1';
}

export function createPipeline(dependencies: PipelineDependencies): Pipeline {
  const { host, admission, log, metrics, securityHeaders, logRequests, audit } = dependencies;
  const commonHeaders = Object.entries(securityHeaders).flat();
  const headersBeyondCaching = Object.entries(securityHeaders)
    .filter(([name]) => name !== 'cache-control')
    .flat();
  const largeBodies = createLargeBodies();

  async function run(
    route: Route,
    exchange: Exchange,
    found: Pick<FoundRow, 'params' | 'query'>,
  ): Promise<void> {
    try {
      if (route.limit !== undefined) await countAgainst(route.limit, exchange);
      if (isBodyToBeRead(route, exchange)) {
        const { request, response } = exchange;
        const limit = route.maxBodyBytes ?? defaultMaxBodyBytes;
        exchange.rawBody = await readBody(request, response, limit);
      }
      const checked: unknown = route.guard.check(exchange);
      const principal: unknown = checked instanceof Promise ? await checked : checked;
      noteActor(route, exchange, principal);
      if (route.guardBeforeBody === true && exchange instanceof NodeExchange) {
        await largeBodies.read(exchange, route.maxBodyBytes ?? defaultMaxBodyBytes);
      }
      const { params, query, body } = parseRequest(route, exchange, found);
      const reply = route.handle({ params, query, body, principal, context: exchange });
      const answered = reply instanceof Promise ? await reply : reply;
      const sending = give(route, exchange, found, answered);
      if (sending !== undefined) await sending;
    } catch (error) {
      audit.refused({ route, params: found.params, caller: exchange }, error);
      fail(route, exchange, error);
    } finally {
      if (exchange instanceof NodeExchange) leaveBody(route, exchange);
    }
  }

  function leaveBody(route: Route, exchange: NodeExchange): void {
    if (route.guardBeforeBody === true) largeBodies.release(exchange);
    if (route.streamsBody === true) discardRest(exchange.request);
  }

  /** Gives the answer at hand in the turn in which the request is complete; the general way is for all else. */
  function runAtHand(
    route: Route,
    exchange: NodeExchange,
    found: Pick<FoundRow, 'params' | 'query'>,
  ): void {
    const answer = () => {
      const prepared = host.stopping ? null : (route.atHand?.(exchange) ?? null);
      if (prepared === null) {
        void run(route, exchange, found);
        return;
      }
      const headers: RawHeaders = [...headersBeyondCaching, ...prepared.headers];
      headers.push(...alwaysSent(exchange));
      write(exchange, {
        status: prepared.status,
        headers,
        body: prepared.text,
        encoding: 'latin1',
      });
      const status = exchange.isCallerGone ? callerGone : prepared.status;
      finish(route.path, exchange, status, logRequests && route.countedOnly !== true);
    };
    const { request, response } = exchange;
    if (!hasBody(request)) {
      answer();
      return;
    }
    collectBody(request, response, route.maxBodyBytes ?? defaultMaxBodyBytes, (error, body) => {
      if (error !== null) fail(route, exchange, error);
      else {
        exchange.rawBody = body;
        answer();
      }
    });
  }

  function send(route: Route, exchange: Exchange, reply: Reply): void {
    const status = reply.status ?? 200;
    const { body, contentType } = reply;
    const bytes = body === undefined || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const type = contentType ?? (typeof bytes === 'string' ? 'application/json' : undefined);
    const headers = headersOf(exchange, reply);
    if (type !== undefined) headers.push('content-type', type);
    write(exchange, { status, headers, body: bytes });
    const isLogged = logRequests && route.countedOnly !== true;
    finish(route.path, exchange, exchange.isCallerGone ? callerGone : status, isLogged);
  }

  /** Most answers need no waiting. */
  function give(
    route: Route,
    exchange: Exchange,
    found: { readonly params: RawParams },
    reply: Reply,
  ): Promise<void> | undefined {
    if (!isAudited(route, exchange) && reply.stream === undefined) {
      send(route, exchange, reply);
      return undefined;
    }
    return giveAudited(route, exchange, found, reply);
  }

  async function giveAudited(
    route: Route,
    exchange: Exchange,
    found: { readonly params: RawParams },
    reply: Reply,
  ): Promise<void> {
    if (isAudited(route, exchange)) await tellDisclosed(route, exchange, found, reply);
    if (reply.stream === undefined) send(route, exchange, reply);
    else if (exchange instanceof NodeExchange) await stream(route, exchange, reply, reply.stream);
    else throw new Error(`${route.name} is hot and streams.`);
  }

  /** What cannot be audited is not shown. */
  async function tellDisclosed(
    route: Route,
    exchange: Exchange,
    { params }: { readonly params: RawParams },
    { stream: source, about }: Reply,
  ): Promise<void> {
    try {
      await audit.answering({ route, params, caller: exchange, about });
    } catch (error) {
      if (source !== undefined) await letGo(source);
      throw error;
    }
  }

  function headersOf(exchange: Exchange, reply: Reply): RawHeaders {
    const headers: RawHeaders =
      reply.headers === undefined
        ? [...commonHeaders]
        : Object.entries({ ...securityHeaders, ...reply.headers }).flat();
    headers.push(...alwaysSent(exchange));
    return headers;
  }

  async function stream(
    route: Route,
    exchange: NodeExchange,
    reply: Reply,
    source: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const { response, method } = exchange;
    const status = reply.status ?? 200;
    const headers = headersOf(exchange, reply);
    if (reply.contentType !== undefined) headers.push('content-type', reply.contentType);
    if (host.stopping) headers.push('connection', 'close');
    if (exchange.isCallerGone || method === 'HEAD') {
      await letGo(source);
      if (!exchange.isCallerGone) response.writeHead(status, headers).end();
      finish(route.path, exchange, exchange.isCallerGone ? callerGone : status);
      return;
    }
    response.writeHead(status, headers);
    const end = await sendStream(source, response);
    if ('cause' in end) {
      const { requestId } = exchange;
      log.error({ requestId, route: route.path, err: end.cause }, 'An answer was cut off.');
      finish(route.path, exchange, 500);
    } else finish(route.path, exchange, end.how === 'sent' ? status : callerGone);
  }

  function fail(
    { path: pattern, refusedAs = asProblem }: Pick<Route, 'path' | 'refusedAs'>,
    exchange: Exchange,
    error: unknown,
    extra?: Readonly<Record<string, string>>,
  ): void {
    if (exchange.isCallerGone) {
      finish(pattern, exchange, callerGone);
      return;
    }
    const problem = problemOf(error, exchange.requestId);
    if (problem.status >= 500 && problem.cause !== null && problem.code !== 'OVERLOADED') {
      log.error(
        { requestId: exchange.requestId, route: pattern, code: problem.code, err: problem.cause },
        'request failed',
      );
    }
    const { status, contentType, body } = refusedAs(problem);
    const headers: RawHeaders = Object.entries({ ...securityHeaders, ...extra }).flat();
    headers.push(...alwaysSent(exchange));
    headers.push('content-type', contentType);
    if (status === 401) headers.push('www-authenticate', 'Bearer');
    if (problem.retryAfterSeconds !== null) headers.push('retry-after', problem.retryAfterSeconds);
    write(exchange, { status, headers, body: JSON.stringify(body) });
    finish(pattern, exchange, status);
  }

  function write(exchange: Exchange, answer: Unwritten): void {
    const { status, headers, body = noBytes, encoding = 'utf8' } = answer;
    if (exchange.isCallerGone || exchange.isAnswered) return;
    if (status !== 204 && status !== 304) {
      headers.push('content-length', Buffer.byteLength(body, encoding));
    }
    exchange.give({ status, headers, body, encoding });
  }

  function finish(
    pattern: string,
    exchange: Exchange,
    status: number,
    isLogged = logRequests,
  ): void {
    exchange.end();
    metrics.inFlight(host.inFlight);
    const durationMs = performance.now() - exchange.startedAt;
    metrics.requestServed(exchange.method, pattern, status, durationMs / 1000);
    if (!isLogged) return;
    log.info(
      {
        requestId: exchange.requestId,
        method: exchange.method,
        route: pattern,
        status,
        durationMs: Math.round(durationMs * 10) / 10,
        ...(exchange.actor === null ? {} : { actor: exchange.actor }),
      },
      'request',
    );
  }

  /** Whether the exchange may go on; if not, it has its answer. */
  function begin(route: Pick<Route, 'path' | 'refusedAs' | 'underLoad'>, exchange: Exchange) {
    try {
      admission.admit(route.underLoad);
    } catch (error) {
      metrics.loadShed();
      fail(route, exchange, error);
      return false;
    }
    exchange.begin();
    metrics.inFlight(host.inFlight);
    return true;
  }

  async function handOver(mount: Mount, pattern: string, exchange: NodeExchange): Promise<void> {
    const { request, response, ip, requestId } = exchange;
    try {
      if (mount.limit !== undefined) await countAgainst(mount.limit, exchange);
    } catch (error) {
      fail({ path: pattern }, exchange, error);
      return;
    }
    response.once('close', () =>
      finish(pattern, exchange, response.writableFinished ? response.statusCode : callerGone),
    );
    const common = mount.headers === undefined ? {} : { ...securityHeaders, ...mount.headers };
    for (const [name, value] of Object.entries(common)) response.setHeader(name, value);
    response.setHeader('x-request-id', requestId);
    if (host.stopping) response.setHeader('connection', 'close');
    mount.listener(request, response, { ip, requestId });
  }

  return {
    hand: (mount, path, request, response) => {
      const pattern = mount.patternOf?.(path) ?? mount.paths[0] ?? unmatched;
      const exchange = new NodeExchange(host, request, response);
      if (begin({ path: pattern }, exchange)) void handOver(mount, pattern, exchange);
    },
    serve: (route, request, response, found) => {
      const exchange = new NodeExchange(host, request, response);
      if (route.deprecated !== undefined) exchange.rowHeaders = route.deprecated.headers;
      if (!begin(route, exchange)) return;
      if (route.atHand === undefined) void run(route, exchange, found);
      else runAtHand(route, exchange, found);
    },
    serveAtDoor: (found, exchange) => {
      const { row } = found;
      if (row.deprecated !== undefined) exchange.rowHeaders = row.deprecated.headers;
      if (begin(row, exchange)) void run(row, exchange, found);
    },
    refuse: (request, response, error, headers) =>
      fail({ path: unmatched }, new NodeExchange(host, request, response), error, headers),
  };
}

function alwaysSent({ requestId, limitHeaders: limit, rowHeaders }: Exchange): RawHeaders {
  return ['x-request-id', requestId, ...limit, ...rowHeaders];
}

/** Unless the guard comes first, or it was read to look for an answer at hand. */
function isBodyToBeRead(route: Route, exchange: Exchange): exchange is NodeExchange {
  const readsItself = route.guardBeforeBody === true || route.streamsBody === true;
  if (readsItself || !(exchange instanceof NodeExchange)) return false;
  return exchange.rawBody === noBytes && hasBody(exchange.request);
}

/** Operators' requests, and what others known to us are shown of persons. */
function isAudited({ discloses }: Route, { actor }: Exchange): boolean {
  return actor !== null && (actor.kind === 'operator' || discloses === true);
}

function noteActor({ guard }: Route, exchange: Exchange, principal: unknown): void {
  const actor = guard.actorOf?.(principal);
  if (actor !== undefined) exchange.actor = actor;
}

/** How the limit stands is told with whatever is answered then. @throws RateLimited */
async function countAgainst(limit: AddressLimit, exchange: Exchange): Promise<void> {
  try {
    exchange.limitHeaders = limitHeaders(await limit.consume(exchange.ip));
  } catch (error) {
    if (error instanceof RateLimited) exchange.limitHeaders = limitHeaders(error.state);
    throw error;
  }
}
