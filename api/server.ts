import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { Log } from '../application/ports/log.ts';
import { type Host, originOf, reachedAt, readHost } from '../domain/shared/hosts.ts';
import { type AdmissionLimits, createAdmission } from './http/admission.ts';
import { type BoundedServerOptions, createBoundedServer } from './http/boundedServer.ts';
import { addressBlocks, type CallerOptions, createCallerReader, isIn } from './http/caller.ts';
import type { Mount } from './http/mount.ts';
import type { ExchangeHost } from './http/exchange.ts';
import { listen } from './http/listen.ts';
import { createPipeline, type Pipeline } from './http/pipeline.ts';
import type { RequestAudit } from './http/requestAudit.ts';
import type { Route } from './http/route.ts';
import type { HttpMetrics } from './http/telemetry.ts';
import { type BodyLimits, createUnfinishedBodies } from './http/unfinishedBodies.ts';
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

const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
};

const anyAddress: Host = { kind: 'ipv4', name: '0.0.0.0' };

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
  const { server, connections, close } = createBoundedServer({
    ...(tls && { tls }),
    clientCertificates: tls?.clientCa === undefined ? {} : { ca: tls.clientCa },
    requireHostHeader: false,
    trustProxy: options.caller.trustProxy,
    ...(options.connections && { limits: options.connections }),
  });
  const admission = createAdmission(options.limits, {
    inFlight: () => host.inFlight,
    unreadBytes: () => connections.unreadBytes,
  });
  const proxies = addressBlocks(options.caller.trustProxy);
  const { bodies = { total: 2000, perAddress: 100 } } = options;
  const pipeline = createPipeline({
    host,
    unfinishedBodies: createUnfinishedBodies(bodies, (address) => isIn(proxies, address)),
    admission,
    log,
    metrics,
    securityHeaders: sentAlways,
    logRequests: options.logRequests ?? true,
    audit: options.audit ?? noAudit,
    connections,
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
      const closed = close(deadlineMs);
      for (const exchange of [...host.waiting]) exchange.release();
      await closed;
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

/**
 * Dispatches requests to mounted programs, and all others by Express to routes; both pass the
 * pipeline. Express tries routes in their order, 0.15 µs each (ADR 39).
 */
function createDispatcher(
  routes: readonly Route[],
  pipeline: Pipeline,
  mounts: readonly Mount[] = [],
): RequestListener {
  const app = expressApp(routes, pipeline);
  return (request, response) => {
    if (!hasUsableHost(request)) {
      pipeline.refuse(request, response, noHost());
      return;
    }
    request.url = originForm(request.url);
    const { path } = partsOf(request.url);
    const mount = mounts.find(({ paths }) => paths.some((each) => isBelow(each, path)));
    if (mount !== undefined) dispatchTo({ mount, path, pipeline }, request, response);
    else if (path === '*' && request.method === 'OPTIONS') {
      pipeline.allow(request, response, allowOf(routes.map(({ method }) => method)));
    } else app(request, response);
  };
}

/** Passes a request to a mounted program, unless its endpoint does not exist or take the method. */
function dispatchTo(
  { mount, path, pipeline }: { mount: Mount; path: string; pipeline: Pipeline },
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const endpoint = mount.endpointOf?.(path);
  if (endpoint === null) {
    pipeline.refuse(request, response, new Refusal('NOT_FOUND'));
    return;
  }
  const { method = '', headers } = request;
  // OPTIONS of a program is for CORS preflights alone.
  const isAnsweredHere = method === 'OPTIONS' && !('access-control-request-method' in headers);
  if (endpoint === undefined || (endpoint.methods.includes(method) && !isAnsweredHere)) {
    pipeline.hand(mount, endpoint ?? { pattern: mount.paths[0] ?? path }, request, response);
    return;
  }
  const allow = allowOf(endpoint.methods);
  if (method === 'OPTIONS') pipeline.allow(request, response, allow);
  else {
    const { refusedAs } = endpoint;
    pipeline.refuse(request, response, new Refusal('METHOD_NOT_ALLOWED'), {
      headers: { allow },
      refusedAs,
    });
  }
}

/**
 * Reduces an absolute request target to path and query: servers must take it, and proxies send it
 * (RFC 9112 §3.2.2).
 */
function originForm(target = '/'): string {
  if (target.startsWith('/')) return target;
  const absolute = /^https?:\/\/[^/?#]*(.*)$/i.exec(target);
  if (absolute === null) return target;
  const [, rest = ''] = absolute;
  return rest.startsWith('/') ? rest : `/${rest}`;
}

/** Path and query of a request target, both still encoded. */
function partsOf(target = '/'): { readonly path: string; readonly query: string } {
  const mark = target.indexOf('?');
  if (mark < 0) return { path: target, query: '' };
  return { path: target.slice(0, mark), query: target.slice(mark + 1) };
}

function isBelow(parent: string, path: string): boolean {
  return path === parent || path.startsWith(`${parent}/`);
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

function expressApp(routes: readonly Route[], pipeline: Pipeline) {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.enable('case sensitive routing');
  app.set('query parser', false);
  for (const route of routes) {
    app[methodName(route)](route.path, (request, response) => {
      const { query } = partsOf(request.originalUrl);
      pipeline.serve(route, request, response, { params: request.params, query });
    });
  }
  const allowed = new WeakMap<IncomingMessage, string[]>();
  for (const [path, methods] of methodsByPath(routes)) {
    app.all(path, (request, _response, next) => {
      allowed.set(request, [...(allowed.get(request) ?? []), ...methods]);
      next();
    });
  }
  app.use((request, response) => {
    const methods = allowed.get(request);
    if (methods === undefined) pipeline.refuse(request, response, new Refusal('NOT_FOUND'));
    else if (request.method === 'OPTIONS') pipeline.allow(request, response, allowOf(methods));
    else {
      pipeline.refuse(request, response, new Refusal('METHOD_NOT_ALLOWED'), {
        headers: { allow: allowOf(methods) },
      });
    }
  });
  app.use(
    (error: unknown, request: IncomingMessage, response: ServerResponse, next: () => void) => {
      if (response.headersSent) next();
      else pipeline.refuse(request, response, routingRefusal(error));
    },
  );
  return app;
}

function methodName(route: Route) {
  return route.method.toLowerCase() as Lowercase<Route['method']>;
}

function methodsByPath(routes: readonly Route[]): ReadonlyMap<string, readonly string[]> {
  const methods = new Map<string, string[]>();
  for (const { path, method } of routes) {
    methods.set(path, [...(methods.get(path) ?? []), method]);
  }
  return methods;
}

/** Value of an `Allow` header: HEAD with GET, and OPTIONS always (RFC 9110 §9.3.2, §9.3.7). */
function allowOf(methods: readonly string[]): string {
  const implied = methods.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...new Set([...methods, ...implied])].sort().join(', ');
}

/**
 * Maps the one error of Express before a route is found: a path that is not percent-encoded UTF-8.
 */
function routingRefusal(error: unknown): unknown {
  const { status } = error as { status?: number };
  if (status !== 400) return error;
  return new Refusal('INVALID_REQUEST', {
    detail: 'The path is not valid percent-encoded UTF-8.',
    errors: [{ pointer: '#/path', detail: 'Not valid percent-encoded UTF-8.' }],
  });
}
