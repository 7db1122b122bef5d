import type { IncomingMessage, ServerResponse } from 'node:http';
import { countingInto } from '../../application/attempts.ts';
import { NotYetShown } from '../../application/ports/faults.ts';
import type { Log } from '../../application/ports/log.ts';
import type { Admission } from './admission.ts';
import { collectBody, discardRest, hasBody, noBytes, readBody } from './body.ts';
import type { Connections } from './connections.ts';
import { notYetShown } from './answers.ts';
import { Exchange, type ExchangeHost, type RawHeaders } from './exchange.ts';
import { createLargeBodies } from './largeBodies.ts';
import type { Mount, MountEndpoint } from './mount.ts';
import { parseRequest } from './validation.ts';
import { asProblem, problemOf } from './problems.ts';
import { closeSource, sendStream } from './streamedBody.ts';
import { createStreamLimits } from './unfinishedBodies.ts';
import { isAudited, type RequestAudit } from './requestAudit.ts';
import type { MatchedTarget, RawParams, Reply, Route } from './route.ts';
import { callerGone, type HttpMetrics, unmatched } from './telemetry.ts';
import type { UnfinishedBodies } from './unfinishedBodies.ts';

/** Default size limit of a body, bytes. */
const defaultMaxBodyBytes = 64 * 1024;

export interface PipelineDependencies {
  readonly host: ExchangeHost;
  readonly admission: Admission;
  readonly log: Log;
  readonly metrics: HttpMetrics;
  /** Headers of every response; lower-case names. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** Logs every request; failures are always logged. */
  readonly logRequests: boolean;
  /** Observer of refusals and disclosures. */
  readonly audit: RequestAudit;
  /** Receives every response that is complete, or begun to be written piece by piece. */
  readonly connections: Pick<Connections, 'answered' | 'writing'>;
  readonly unfinishedBodies: UnfinishedBodies;
}

/** Processing of every request after routing. */
export interface Pipeline {
  serve(
    route: Route,
    request: IncomingMessage,
    response: ServerResponse,
    found: MatchedTarget,
  ): void;
  /** Passes a request to a mounted program, under the same load shedding and limits as routes. */
  hand(
    mount: Mount,
    endpoint: Omit<MountEndpoint, 'methods'>,
    request: IncomingMessage,
    response: ServerResponse,
  ): void;
  /** Refuses a request that matches no route. */
  refuse(
    request: IncomingMessage,
    response: ServerResponse,
    error: unknown,
    how?: Pick<Route, 'refusedAs'> & { readonly headers?: Readonly<Record<string, string>> },
  ): void;
  /** Answers `OPTIONS` (RFC 9110 §9.3.7). @param allow value of the `Allow` header */
  allow(request: IncomingMessage, response: ServerResponse, allow: string): void;
}

/** Parts of a route that its admission depends on. */
type Admitted = Pick<Route, 'underLoad' | 'whileClosed'>;

/** Parts of a route that its refusals depend on. */
type Refusing = Pick<Route, 'path' | 'refusedAs'> & Partial<Pick<Route, 'bodyType' | 'method'>>;

/** Complete response: head and body. */
interface Unwritten {
  readonly status: number;
  readonly headers: RawHeaders;
  readonly body: string | Buffer | undefined;
  /** Encoding of a text body; default utf8. */
  readonly encoding?: 'latin1';
}

export function createPipeline(dependencies: PipelineDependencies): Pipeline {
  const { host, admission, log, metrics, securityHeaders, logRequests } = dependencies;
  const { audit, connections, unfinishedBodies } = dependencies;
  const commonHeaders = Object.entries(securityHeaders).flat();
  const headersBeyondCaching = Object.entries(securityHeaders)
    .filter(([name]) => name !== 'cache-control')
    .flat();
  const largeBodies = createLargeBodies();
  const streamLimits = createStreamLimits();

  function start(route: Route, exchange: Exchange, found: MatchedTarget): void {
    void countingInto(exchange.counted, () => run(route, exchange, found));
  }

  async function run(route: Route, exchange: Exchange, found: MatchedTarget): Promise<void> {
    let leaveStream = (): void => undefined;
    try {
      if (route.limit !== undefined) await exchange.countAgainst(route.limit);
      if (isBodyToBeRead(route, exchange)) {
        const { request, response } = exchange;
        const limit = route.maxBodyBytes ?? defaultMaxBodyBytes;
        exchange.rawBody = await readBody(request, response, limit);
      }
      startWork(route, exchange);
      const checked: unknown = route.guard.check(exchange);
      const principal: unknown = checked instanceof Promise ? await checked : checked;
      noteActor(route, exchange, principal);
      if (route.guardBeforeBody === true) await readLargeBody(route, exchange);
      if (route.streamsBody === true) exchange.countOnceBodyIsThere();
      const { params, query, body } = parseRequest(route, exchange, found);
      leaveStream = streamLimits.enter(route, exchange);
      const reply = route.handle({ params, query, body, principal, context: exchange });
      const answered = reply instanceof Promise ? await reply : reply;
      const sending = respond(route, exchange, found, answered);
      if (sending !== undefined) await sending;
    } catch (error) {
      if (error instanceof NotYetShown) {
        send(route, exchange, notYetShown);
        return;
      }
      audit.refused({ route, params: found.params, caller: exchange }, error);
      fail(route, exchange, error);
    } finally {
      leaveStream();
      leaveBody(route, exchange);
    }
  }

  async function readLargeBody(route: Route, exchange: Exchange): Promise<void> {
    if (!hasBody(exchange.request)) return;
    exchange.pause();
    await largeBodies.read(exchange, route.maxBodyBytes ?? defaultMaxBodyBytes);
    startWork(route, exchange);
  }

  function leaveBody(route: Route, exchange: Exchange): void {
    if (route.guardBeforeBody === true) largeBodies.release(exchange);
    if (route.streamsBody === true) discardRest(exchange.request);
  }

  /**
   * Sends a cached response in the tick in which the request is complete; otherwise runs the route.
   */
  function sendCachedOrRun(route: Route, exchange: Exchange, found: MatchedTarget): void {
    const answer = () => {
      const prepared = host.stopping ? null : (route.cachedResponse?.(exchange) ?? null);
      if (prepared === null) {
        start(route, exchange, found);
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
    const limit = route.maxBodyBytes ?? defaultMaxBodyBytes;
    collectBody(request, response, { limit }, (error, body) => {
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

  /** Writes a response, synchronously unless the audit must be awaited. */
  function respond(
    route: Route,
    exchange: Exchange,
    found: { readonly params: RawParams },
    reply: Reply,
  ): Promise<void> | undefined {
    if (!isAudited(route, exchange) && reply.stream === undefined) {
      send(route, exchange, reply);
      return undefined;
    }
    return respondAudited(route, exchange, found, reply);
  }

  async function respondAudited(
    route: Route,
    exchange: Exchange,
    found: { readonly params: RawParams },
    reply: Reply,
  ): Promise<void> {
    if (isAudited(route, exchange)) await auditDisclosure(route, exchange, found, reply);
    if (reply.stream === undefined) send(route, exchange, reply);
    else if (route.streamsAtOnce === undefined) await refuseUnbounded(route, reply.stream);
    else await stream(route, exchange, reply, reply.stream);
  }

  async function refuseUnbounded({ name }: Route, source: AsyncIterable<Uint8Array>) {
    await closeSource(source);
    throw new Error(`The route ${name} streams without a limit (streamsAtOnce).`);
  }

  /** Records a disclosure before it is sent: without a record there is no response. */
  async function auditDisclosure(
    route: Route,
    exchange: Exchange,
    { params }: { readonly params: RawParams },
    { stream: source, about }: Reply,
  ): Promise<void> {
    try {
      await audit.answering({ route, params, caller: exchange, about });
    } catch (error) {
      if (source !== undefined) await closeSource(source);
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
    exchange: Exchange,
    reply: Reply,
    source: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    const { response, method } = exchange;
    const status = reply.status ?? 200;
    const headers = headersOf(exchange, reply);
    if (reply.contentType !== undefined) headers.push('content-type', reply.contentType);
    if (host.stopping) headers.push('connection', 'close');
    if (exchange.isCallerGone || method === 'HEAD') {
      await closeSource(source);
      if (!exchange.isCallerGone) response.writeHead(status, headers).end();
      finish(route.path, exchange, exchange.isCallerGone ? callerGone : status);
      return;
    }
    connections.writing(response);
    response.writeHead(status, headers);
    const end = await sendStream(source, response);
    if ('cause' in end) {
      const { requestId } = exchange;
      log.error(
        { requestId, route: route.path, err: end.cause },
        'A streamed response failed and was cut off.',
      );
      finish(route.path, exchange, 500);
    } else finish(route.path, exchange, end.how === 'sent' ? status : callerGone);
  }

  /** Counts a request with a body as work: the body is there, or the guard comes first. @throws Overloaded */
  function startWork(route: Admitted, exchange: Exchange): void {
    if (!hasBody(exchange.request)) return;
    admit(route);
    count(exchange);
  }

  function count(exchange: Exchange): void {
    exchange.begin();
    metrics.inFlight(host.inFlight);
  }

  /** @throws Overloaded */
  function admit(route: Admitted): void {
    try {
      admission.admit(route);
    } catch (error) {
      metrics.loadShed();
      throw error;
    }
  }

  function fail(
    { path: pattern, refusedAs = asProblem, ...accepted }: Refusing,
    exchange: Exchange,
    error: unknown,
    extra?: Readonly<Record<string, string>>,
  ): void {
    if (exchange.hasEnded) return;
    const problem = problemOf(error, exchange.requestId);
    if (isOurFault(problem.status)) void exchange.counted.giveBack();
    if (exchange.isCallerGone) {
      finish(pattern, exchange, callerGone);
      return;
    }
    if (problem.status >= 500 && problem.cause !== null && problem.code !== 'OVERLOADED') {
      log.error(
        { requestId: exchange.requestId, route: pattern, code: problem.code, err: problem.cause },
        'request failed',
      );
    }
    const { status, contentType, body, headers: own } = refusedAs(problem, exchange);
    const headers: RawHeaders = Object.entries({ ...securityHeaders, ...own, ...extra }).flat();
    headers.push(...alwaysSent(exchange));
    headers.push('content-type', contentType);
    if (status === 401) headers.push('www-authenticate', 'Bearer');
    if (status === 415) headers.push(...acceptedBy(accepted));
    if (problem.retryAfterSeconds !== null) headers.push('retry-after', problem.retryAfterSeconds);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    write(exchange, { status, headers, body: text });
    finish(pattern, exchange, status);
  }

  function write(exchange: Exchange, answer: Unwritten): void {
    const { status, headers, body = noBytes, encoding = 'utf8' } = answer;
    if (exchange.isCallerGone || exchange.isAnswered) return;
    if (status !== 204 && status !== 304) {
      headers.push('content-length', Buffer.byteLength(body, encoding));
    }
    exchange.give({ status, headers, body, encoding });
    connections.answered(exchange.response);
  }

  function finish(
    pattern: string,
    exchange: Exchange,
    status: number,
    isLogged = logRequests,
  ): void {
    if (exchange.hasEnded) return;
    exchange.end();
    if (isOurFault(status)) void exchange.counted.giveBack();
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

  /** Starts an exchange; when refused, the exchange is answered already. */
  function begin(route: Pick<Route, 'path' | 'refusedAs'> & Admitted, exchange: Exchange) {
    const { request, response } = exchange;
    unfinishedBodies.track(request, response, exchange, (error) => fail(route, exchange, error));
    try {
      admit(route);
    } catch (error) {
      fail(route, exchange, error);
      return false;
    }
    if (!hasBody(request)) count(exchange);
    return true;
  }

  async function handOver(
    mount: Mount,
    { pattern, refusedAs }: Omit<MountEndpoint, 'methods'>,
    exchange: Exchange,
  ): Promise<void> {
    const { request, response, ip, requestId } = exchange;
    exchange.countOnceBodyIsThere();
    try {
      if (mount.limit !== undefined) await exchange.countAgainst(mount.limit);
    } catch (error) {
      fail({ path: pattern, refusedAs }, exchange, error);
      return;
    }
    connections.writing(response);
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
    hand: (mount, endpoint, request, response) => {
      const exchange = new Exchange(host, request, response);
      const { pattern, refusedAs } = endpoint;
      if (!begin({ path: pattern, refusedAs }, exchange)) return;
      void countingInto(exchange.counted, () => handOver(mount, endpoint, exchange));
    },
    serve: (route, request, response, found) => {
      const exchange = new Exchange(host, request, response);
      if (route.deprecated !== undefined) exchange.routeHeaders = route.deprecated.headers;
      if (!begin(route, exchange)) return;
      if (route.cachedResponse === undefined) start(route, exchange, found);
      else sendCachedOrRun(route, exchange, found);
    },
    refuse: (request, response, error, { headers, refusedAs } = {}) => {
      const exchange = new Exchange(host, request, response);
      unfinishedBodies.track(request, response, exchange, () => undefined);
      fail({ path: unmatched, refusedAs }, exchange, error, headers);
    },
    allow: (request, response, allow) => {
      const exchange = new Exchange(host, request, response);
      unfinishedBodies.track(request, response, exchange, () => undefined);
      const headers = [...commonHeaders, ...alwaysSent(exchange), 'allow', allow];
      write(exchange, { status: 204, headers, body: undefined });
      finish(unmatched, exchange, 204);
    },
  };
}

/** Media types and codings a refused body may have (RFC 9110 §15.5.16, RFC 5789 §2.2). */
function acceptedBy({ bodyType = 'application/json', method }: Partial<Route>): RawHeaders {
  const patch = method === 'PATCH' ? ['accept-patch', bodyType] : [];
  return ['accept', bodyType, 'accept-encoding', 'identity', ...patch];
}

/** True for the statuses of a failure on our side. */
function isOurFault(status: number): boolean {
  return status >= 500;
}

function alwaysSent({ requestId, limitHeaders: limit, routeHeaders }: Exchange): RawHeaders {
  return ['x-request-id', requestId, ...limit, ...routeHeaders];
}

/**
 * True for bodies still to be read: not before a guard that comes first, and not after a look-up of
 * the cached response.
 */
function isBodyToBeRead(route: Route, { rawBody, request }: Exchange): boolean {
  const readsItself = route.guardBeforeBody === true || route.streamsBody === true;
  return !readsItself && rawBody === noBytes && hasBody(request);
}

function noteActor({ guard }: Route, exchange: Exchange, principal: unknown): void {
  const actor = guard.actorOf?.(principal);
  if (actor !== undefined) exchange.actor = actor;
}
