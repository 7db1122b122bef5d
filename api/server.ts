import type { IncomingMessage, RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import express, { type Request, type Response } from 'express';
import type { Log } from '../application/ports/log.ts';
import { type Host, originOf, reachedAt, readHost } from '../domain/shared/hosts.ts';
import {
  type Admission,
  type AdmissionLimits,
  admit,
  admitWork,
  countAddress,
  countAttempts,
  createAdmission,
} from './bounds/admission.ts';
import { type BoundedServerOptions, createBoundedServer } from './bounds/boundedServer.ts';
import { addressBlocks, type CallerOptions, createCallerReader, isIn } from './bounds/caller.ts';
import {
  collectBody,
  createLargeBodies,
  discardUnread,
  leaveToHandler,
  maxBodyBytesOf,
  readWhole,
} from './http/body.ts';
import {
  type EndedExchange,
  type ErrorStep,
  Exchange,
  type ExchangeHost,
  type Step,
} from './http/exchange.ts';
import { answer, authenticate, complete, handle, validate } from './http/handling.ts';
import { listen } from './bounds/listen.ts';
import { type Mount, mountSteps } from './http/mount.ts';
import { allowOnly, refuse, refuseFrom } from './http/refusal.ts';
import { auditDisclosure, discloses, type RequestAudit } from './http/requestAudit.ts';
import type { PreparedReply, Route } from './http/route.ts';
import { limitStreams } from './http/streamedBody.ts';
import { middleware, surfaceRouters } from './http/surfaces.ts';
import type { HttpMetrics } from './http/telemetry.ts';
import {
  type BodyLimits,
  createUnfinishedBodies,
  hasBody,
  type UnfinishedBodies,
} from './bounds/connections.ts';
import { Refusal } from '../domain/shared/refusal.ts';

export interface ApiServerOptions {
  /** Routes of the server; the first of two that match serves. */
  readonly routes: readonly Route[];
  /** Programs mounted on the same address; see {@link Mount}. */
  readonly mounts?: readonly Mount[];
  readonly log: Log;
  readonly metrics: HttpMetrics;
  readonly limits: AdmissionLimits;
  readonly caller: CallerOptions;
  readonly connections?: BoundedServerOptions['limits'];
  /** Default: 2,000 unfinished bodies in total, 100 per address. */
  readonly bodies?: BodyLimits;
  /** Observer of refusals and disclosures; omitted: none. */
  readonly audit?: RequestAudit;
  /** Called with every request of a relying party that was answered or refused; never waits, never fails. */
  readonly onRelyingPartyRequest?: ExchangeHost['onRelyingPartyRequest'];
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
   * Goes on answering, each answer the last of its connection, while `/readyz` says that the process ends.
   *
   * @param milliseconds until a balancer has looked there
   */
  drain(milliseconds: number): Promise<void>;
  /** True once {@link drain} or {@link stop} was called. */
  isEnding(): boolean;
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

const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const anyAddress: Host = { kind: 'ipv4', name: '0.0.0.0' };

const overTls = { 'strict-transport-security': 'max-age=31536000' };

export function createApiServer(options: ApiServerOptions): ApiServer {
  const { log, metrics, tls, audit = noAudit, logRequests = true } = options;
  const { bodies = { total: 2000, perAddress: 100 } } = options;
  const { server, connections, close } = createBoundedServer({
    ...(tls && { tls }),
    clientCertificates: tls?.clientCa === undefined ? {} : { ca: tls.clientCa },
    requireHostHeader: false,
    trustProxy: options.caller.trustProxy,
    ...(options.connections && { limits: options.connections }),
  });
  const ended = behindAnswers(options.onRelyingPartyRequest);
  const sentAlways = tls === undefined ? securityHeaders : { ...securityHeaders, ...overTls };
  const host: ExchangeHost = {
    caller: createCallerReader(options.caller, tls?.clientCa !== undefined),
    log,
    metrics,
    onRelyingPartyRequest: ended.hold,
    logRequests,
    securityHeaders: sentAlways,
    commonHeaders: Object.entries(sentAlways).flat(),
    connections,
    waiting: new Set(),
    inFlight: 0,
    ending: false,
    stopping: false,
  };
  const admission = createAdmission(options.limits, {
    inFlight: () => host.inFlight,
    unreadBytes: () => connections.unreadBytes,
  });
  const proxies = addressBlocks(options.caller.trustProxy);
  const unfinishedBodies = createUnfinishedBodies(bodies, (address) => isIn(proxies, address));
  const app = createApp(options, { host, admission, unfinishedBodies, audit });
  const listener: RequestListener = (request, response) => {
    if (!connections.accept(request, response)) return;
    request.url = originForm(request.url);
    app(request, response);
  };
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, listener);

  return {
    start: async ({ port, host: address = '0.0.0.0', variable = 'SVC_PORT' }) => {
      await listen(server, { port, host: address, variable });
      admission.start();
    },
    drain: async (milliseconds) => {
      host.ending = true;
      await pause(milliseconds);
    },
    isEnding: () => host.ending,
    stop: async (deadlineMs = 10_000) => {
      host.ending = true;
      // Polls are answered only now: a relying party polls again at once, and must reach another process.
      await close(deadlineMs, () => {
        host.stopping = true;
        for (const exchange of [...host.waiting]) exchange.release();
      });
      ended.handOver();
      admission.stop();
    },
    address: () => {
      const address = server.address() as AddressInfo | null;
      if (address === null) throw new Error('The server is not started.');
      const { port } = address;
      const host = reachedAt(readHost(address.address) ?? anyAddress);
      const scheme = tls === undefined ? 'http' : 'https';
      return { host: host.name, port, origin: originOf(scheme, host, port) };
    },
  };
}

interface AppParts {
  readonly host: ExchangeHost;
  readonly admission: Admission;
  readonly unfinishedBodies: UnfinishedBodies;
  /** Observer of refusals and disclosures. */
  readonly audit: RequestAudit;
}

/**
 * Steps of every request, in the order they run; {@link createSteps} lists those of a route. A router, not an
 * application of Express, which would change the prototypes of each request and response first.
 */
function createApp(
  { routes, mounts = [] }: ApiServerOptions,
  { host, admission, unfinishedBodies, audit }: AppParts,
): RequestListener {
  const app = express.Router({ caseSensitive: true });
  const use = (path: string | string[], ...steps: readonly (Step | ErrorStep)[]) =>
    app.use(path, ...middleware(steps));

  use('/', arrive(host, unfinishedBodies));
  for (const mount of mounts) use([...mount.paths], ...mountSteps(mount, admission));
  const stepsOf = createSteps({ host, admission, audit });
  for (const [path, router] of surfaceRouters(routes, stepsOf)) app.use(path, router);
  use('/', refuseUnknown(routes), refuseUnrouted);
  return (request, response) =>
    app(request as Request, response as Response, () => response.destroy());
}

/** Makes the steps of a route's requests, in the order they run; behind {@link arrive}. */
function createSteps({ host, admission, audit }: Omit<AppParts, 'unfinishedBodies'>) {
  const readLarge = createLargeBodies();
  return (route: Route): readonly (Step | ErrorStep)[] => {
    const isReadLate = route.guardBeforeBody === true || route.streamsBody === true;
    const steps = [
      label(route),
      admit(admission, route),
      route.cachedResponse !== undefined && answerFromMemory(route, host),
      countAttempts,
      isReadLate && discardUnread,
      route.limit !== undefined && countAddress(route.limit),
      !isReadLate && readWhole(route),
      admitWork(admission, route),
      authenticate(route),
      route.guardBeforeBody === true && readLarge(route),
      route.guardBeforeBody === true && admitWork(admission, route),
      route.streamsBody === true && leaveToHandler,
      validate(route),
      route.streamsAtOnce !== undefined && limitStreams(route),
      handle(route),
      discloses(route) && auditDisclosure(route, audit),
      answer(route),
      refuseFrom(route, audit),
    ];
    return steps.filter((step) => step !== false);
  };
}

/**
 * First step of every request: gives it its id, and bounds the time until its body is there.
 *
 * @throws Refusal INVALID_REQUEST without one host
 */
function arrive(host: ExchangeHost, unfinishedBodies: UnfinishedBodies): Step {
  return (request, response, next) => {
    const exchange = new Exchange(host, request, response);
    response.locals = { exchange };
    unfinishedBodies.track(request, response, exchange, (error) => refuse(exchange, error));
    if (!hasUsableHost(request)) throw noHost();
    exchange.trace(next);
  };
}

/** One Host header; HTTP/1.0 may omit it. Of several, Node.js would show the first. */
function hasUsableHost({ headers, rawHeaders, httpVersion }: IncomingMessage): boolean {
  if (headers.host === undefined) return httpVersion !== '1.1';
  const isHost = (name: string, index: number) =>
    index % 2 === 0 && name.length === 4 && name.toLowerCase() === 'host';
  return rawHeaders.findIndex(isHost) === rawHeaders.findLastIndex(isHost);
}

/** Refusal of a missing or repeated Host header (RFC 9112 §3.2); Node.js would refuse it without a body. */
function noHost(): Refusal {
  const detail = 'HTTP/1.1 requires one Host header.';
  return new Refusal('INVALID_REQUEST', {
    detail,
    errors: [{ pointer: '#/header/host', detail }],
  });
}

/** Step that names the route in logs, metrics and refusals, and its deprecation in every response. */
function label(route: Route): Step {
  const { headers } = route.deprecated ?? {};
  return (_request, { locals: { exchange } }, next) => {
    exchange.served = route;
    if (headers !== undefined) exchange.routeHeaders = headers;
    next();
  };
}

/** Step that sends a cached response in the tick in which the request is complete. */
function answerFromMemory(route: Route, { securityHeaders }: ExchangeHost): Step {
  const headersBeyondCaching = Object.entries(securityHeaders)
    .filter(([name]) => name !== 'cache-control')
    .flat();
  const limit = maxBodyBytesOf(route);

  function sendPrepared(exchange: Exchange, { status, headers, text: body }: PreparedReply): void {
    const all = [...headersBeyondCaching, ...headers, ...exchange.ownHeaders];
    complete(exchange, { status, headers: all, body, encoding: 'latin1' });
    exchange.leave();
  }

  return (request, response, next) => {
    const { exchange } = response.locals;
    const answerOr = () => {
      const prepared = exchange.host.ending ? null : route.cachedResponse?.(exchange);
      if (prepared) sendPrepared(exchange, prepared);
      else next();
    };
    if (!hasBody(request)) answerOr();
    else {
      collectBody(request, response, { limit }, (error, body) => {
        if (error !== null) {
          next(error);
          return;
        }
        exchange.rawBody = body;
        answerOr();
      });
    }
  };
}

/**
 * Reduces an absolute request target to path and query: servers must take it, and proxies send it
 * (RFC 9112 §3.2.2).
 */
function originForm(target = '/'): string {
  if (target.startsWith('/')) return target;
  const absolute = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*(.*)$/i.exec(target);
  if (absolute === null) return target;
  const [, rest = ''] = absolute;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Step behind all routes; `OPTIONS *` asks about the service as a whole. */
function refuseUnknown(routes: readonly Route[]): Step {
  const methods = routes.map(({ method }) => method);
  return ({ url, method }, { locals: { exchange } }) => {
    if (url.split('?', 1)[0] === '*' && method === 'OPTIONS') allowOnly(exchange, methods);
    else refuse(exchange, new Refusal('NOT_FOUND'));
  };
}

/** Step that answers what was thrown outside of the steps of a route. */
const refuseUnrouted: ErrorStep = (error: unknown, _request, { locals, headersSent }, next) => {
  if (headersSent) next();
  else refuse(locals.exchange, routingRefusal(error));
};

/**
 * Maps the one error of Express before a route is found: a path that is not percent-encoded UTF-8.
 */
function routingRefusal(error: unknown): unknown {
  if (!(error instanceof URIError)) return error;
  return new Refusal('INVALID_REQUEST', {
    detail: 'The path is not valid percent-encoded UTF-8.',
    errors: [{ pointer: '#/path', detail: 'Not valid percent-encoded UTF-8.' }],
  });
}

/** Time for which exchanges that ended are held, ms. */
const HELD_MS = 50;

/**
 * Holds exchanges that ended for a moment, many at a time: nobody waits for it, and answers go first.
 *
 * @param take absent: nobody wants any
 */
function behindAnswers(take: ExchangeHost['onRelyingPartyRequest']) {
  let held: EndedExchange[] = [];
  const handOver = () => {
    const all = held;
    held = [];
    if (take !== undefined) all.forEach(take);
  };
  const hold = (ended: EndedExchange) => {
    if (held.push(ended) === 1) setTimeout(handOver, HELD_MS);
  };
  return { hold: take && hold, handOver };
}
