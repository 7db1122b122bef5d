import { type Connections, hasBody } from '../bounds/connections.ts';
import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { NextFunction } from 'express';
import { CountedAttempts } from '../../application/attempts.ts';
import type { Actor } from '../../application/ports/eventStore.ts';
import type { Log } from '../../application/ports/log.ts';
import { type Span, spans } from '../../application/ports/spans.ts';
import { type CallerReader, traceIdOf } from '../bounds/caller.ts';
import type { Problem } from '../problems/problem.ts';
import type { RawParams, Reply, RequestContext, Route, RouteRequest } from './route.ts';
import { callerGone, type HttpMetrics, unmatched } from './telemetry.ts';

/** Request as a router of Express passes it on. */
export interface RoutedRequest extends IncomingMessage {
  readonly method: string;
  url: string;
  baseUrl: string;
  readonly originalUrl: string;
  readonly params: RawParams;
}

/** Response whose locals go from step to step. */
export interface RoutedResponse extends ServerResponse {
  locals: Locals;
}

interface Locals {
  exchange: Exchange;
  /** Methods of the routes at the path, where none takes the method sent. */
  methods?: readonly string[];
}

/** One step of a request: middleware of Express that finds its {@link Exchange} in the locals. */
export type Step = (
  request: RoutedRequest,
  response: RoutedResponse,
  next: NextFunction,
) => Promise<void> | void;

/** Step that answers errors of the steps before it. */
export type ErrorStep = (
  error: unknown,
  request: RoutedRequest,
  response: RoutedResponse,
  next: NextFunction,
) => void;

/** Parts of a route that the label and the refusals of a request depend on. */
export type Served = Pick<Route, 'path' | 'refusedAs'> &
  Partial<Pick<Route, 'bodyType' | 'method' | 'countedOnly' | 'scopes'>>;

/**
 * Goes on with a value, at once unless it is promised: a request that waits for nothing is answered in the tick in which
 * it came, so that the bounds of its connection know the answer before the next request is read.
 */
export function goOnWith<Value>(
  value: Value | Promise<Value>,
  act: (value: Value) => void,
): Promise<void> | undefined {
  if (value instanceof Promise) return value.then(act);
  act(value);
  return undefined;
}

/** An exchange that was answered or refused. */
export type EndedExchange = Pick<Exchange, 'requestId' | 'method' | 'actor' | 'served' | 'problem'>;

/** State shared by all exchanges of a server. */
export interface ExchangeHost {
  readonly caller: CallerReader;
  readonly log: Log;
  readonly metrics: HttpMetrics;
  /** Called with every request of a relying party that was answered or refused; never waits, never fails. */
  readonly onRelyingPartyRequest?: ((ended: EndedExchange) => void) | undefined;
  /** Logs every request; failures are always logged. */
  readonly logRequests: boolean;
  /** Headers of every response; lower-case names. */
  readonly securityHeaders: Readonly<Record<string, string>>;
  /** The same, as alternating names and values. */
  readonly commonHeaders: readonly string[];
  /** Receives every response that is complete, or begun to be written piece by piece. */
  readonly connections: Pick<Connections, 'answered' | 'writing'>;
  /** Waiting exchanges, released when the server shuts down. */
  readonly waiting: Set<Exchange>;
  /**
   * Requests in progress: incremented by {@link Exchange.begin}, decremented when one waits, for
   * its body, too, or ends.
   */
  inFlight: number;
  /** True from the moment the process is told to end: each answer is the last of its connection. */
  ending: boolean;
  /** True once nothing waits any more. */
  stopping: boolean;
}

/**
 * Alternating names and values, the cheapest form for Node.js: a fifth less time per response than
 * an object.
 */
export type RawHeaders = (string | number)[];

/** Complete response: head and body. */
export interface Answer {
  readonly status: number;
  /** Headers without `content-length` and connection management. */
  readonly headers: RawHeaders;
  readonly body?: string | Buffer | undefined;
  /** Encoding of a text body; default utf8. */
  readonly encoding?: 'latin1';
}

/** Value of an absent body. */
export const noBytes = Buffer.alloc(0);

/** Validated parts of a request. */
export type Input = Pick<
  RouteRequest<unknown, unknown, unknown, unknown>,
  'params' | 'query' | 'body'
>;

const noInput: Input = { params: null, query: null, body: null };
const noReply: Reply = {};
const notRouted: Served = { path: unmatched, refusedAs: undefined };

const noHeaders: readonly never[] = [];

const SANE_REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/** Request id of the caller, if safe to log; else a new one. */
function requestIdOf({ 'x-request-id': sent }: Readonly<IncomingHttpHeaders>): string {
  return typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : randomUUID();
}

/**
 * One request and its response. A class, because thousands wait at a time: its methods are shared,
 * and address, headers and certificate are computed only on demand.
 */
export class Exchange implements RequestContext {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  readonly startedAt = performance.now();
  /** Route or mounted program that serves the request. */
  served: Served = notRouted;
  rawBody: Buffer = noBytes;
  actor: Actor | null = null;
  /** Refusal of the request; null: none. */
  problem: Problem | null = null;
  /** Result of the guard. */
  principal: unknown = null;
  /** Parts of the request that passed their schemas. */
  input: Input = noInput;
  /** Reply of the handler. */
  reply: Reply = noReply;
  /** Rate-limit headers of the response: alternating names and values. */
  limitHeaders: readonly (string | number)[] = noHeaders;
  /** Headers declared by the route: alternating names and values. */
  routeHeaders: readonly string[] = noHeaders;
  /** Counts of this request against limits. */
  readonly counted = new CountedAttempts();
  readonly host: ExchangeHost;
  #counted = false;
  #ended = false;
  #span: Span | null = null;
  #traceId: string | null = null;
  #onGone: (() => void)[] | null = null;
  #atLast: (() => void)[] | null = null;

  constructor(host: ExchangeHost, request: IncomingMessage, response: ServerResponse) {
    this.host = host;
    this.request = request;
    this.response = response;
    this.requestId = requestIdOf(request.headers);
  }

  get method(): string {
    return this.request.method ?? '';
  }

  get target(): string {
    const request = this.request as IncomingMessage & { readonly originalUrl?: string };
    return request.originalUrl ?? request.url ?? '';
  }

  get headers(): IncomingHttpHeaders {
    return this.request.headers;
  }

  get socket(): Socket {
    return this.request.socket;
  }

  get headersDistinct(): IncomingMessage['headersDistinct'] {
    return this.request.headersDistinct;
  }

  headerCount(name: string): number {
    return this.headersDistinct[name]?.length ?? 0;
  }

  /** True when the caller has disconnected. */
  get isCallerGone(): boolean {
    return this.request.socket.destroyed;
  }

  openBody(): Readable {
    if (this.request.headers.expect !== undefined) this.response.writeContinue();
    return this.request;
  }

  /** Headers that every response to this request has beside those of the service. */
  get ownHeaders(): RawHeaders {
    return [
      ...['x-request-id', this.requestId, 'x-trace-id', this.traceId],
      ...this.limitHeaders,
      ...this.routeHeaders,
    ];
  }

  /** Also in `X-Trace-Id`: of the trace that is made of the request, else the caller's or one made up. */
  get traceId(): string {
    this.#traceId ??= this.#span?.traceId ?? traceIdOf(this.headers, this.requestId);
    return this.#traceId;
  }

  /** Writes the response, unless the caller is gone or the response begun. */
  write({ status, headers, body = noBytes, encoding }: Answer): void {
    const { response, host } = this;
    if (this.isCallerGone || response.headersSent) return;
    if (status !== 204 && status !== 304) {
      headers.push('content-length', Buffer.byteLength(body, encoding));
    }
    if (host.ending) headers.push('connection', 'close');
    response.writeHead(status, headers);
    if (body.length > 0) response.end(body, encoding ?? 'utf8');
    else response.end();
    host.connections.answered(response);
  }

  get ip(): string {
    return this.host.caller.ip(this);
  }

  get clientCertificate(): string | null {
    return this.host.caller.clientCertificate(this);
  }

  identified(actor: Actor): void {
    this.actor = actor;
  }

  /** True once the outcome of the request is counted and logged. */
  get hasEnded(): boolean {
    return this.#ended;
  }

  /** Goes on in the trace of the request, if traces are made; {@link end} ends its part of it. */
  trace(next: () => void): void {
    if (!spans.hasSubscribers) {
      next();
      return;
    }
    this.#span = { kind: 'request', name: this.method, attributes: {}, caller: this.headers };
    spans.start.runStores(this.#span, next);
  }

  /** Counts the request as work. */
  begin(): void {
    if (this.#counted || this.#ended) return;
    this.#counted = true;
    this.host.inFlight += 1;
    this.host.metrics.inFlight(this.host.inFlight);
  }

  /** Counts the request as work no more, while its body arrives. */
  pause(): void {
    this.#uncount();
  }

  /** Counts the request as work from the moment its body is there; the handler reads it itself. */
  countOnceBodyIsThere(): void {
    if (!hasBody(this.request) || this.request.complete) return;
    this.pause();
    this.request.once('end', () => this.begin());
  }

  /** Calls back when the last step has run, whatever the outcome. */
  atLast(callback: () => void): void {
    (this.#atLast ??= []).push(callback);
  }

  /** Called by the last step. Drops what the steps made: the exchange stays with an answer that is not read. */
  leave(): void {
    const callbacks = this.#atLast ?? [];
    this.#atLast = null;
    this.rawBody = noBytes;
    this.input = noInput;
    this.reply = noReply;
    this.principal = null;
    this.problem = null;
    for (const callback of callbacks) callback();
  }

  /** Ends the request: counts and logs its outcome. @param status 499 without an answer */
  end(status: number, isLogged = this.host.logRequests): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#uncount();
    if (this.#onGone !== null) this.#forgetWaiting();
    // Counts against limits stay, unless the request failed on our side.
    if (status >= 500) void this.counted.giveBack();
    this.#record(status, isLogged);
    this.#endSpan(status);
  }

  #endSpan(status: number): void {
    const span = this.#span;
    if (span === null) return;
    this.#span = null;
    span.name = `${this.method} ${this.served.path}`;
    span.attributes = {
      'http.request.method': this.method,
      'http.route': this.served.path,
      'http.response.status_code': status,
    };
    if (status >= 500) span.error = { code: String(status) };
    spans.asyncEnd.publish(span);
  }

  #record(status: number, isLogged: boolean): void {
    const { host, requestId, method, actor, served } = this;
    host.metrics.inFlight(host.inFlight);
    const durationMs = performance.now() - this.startedAt;
    host.metrics.requestServed(method, served.path, status, durationMs / 1000);
    const isOutcome = status !== callerGone || this.problem !== null;
    if (actor?.kind === 'relyingParty' && isOutcome && host.onRelyingPartyRequest !== undefined) {
      host.onRelyingPartyRequest({ requestId, method, actor, served, problem: this.problem });
    }
    if (!isLogged) return;
    host.log.info(
      {
        requestId,
        method,
        route: served.path,
        status,
        durationMs: Math.round(durationMs * 10) / 10,
        ...(actor === null ? {} : { actor }),
        // Telemetry adds it to every line where traces are made.
        ...(spans.hasSubscribers ? {} : { traceId: this.traceId }),
      },
      'request',
    );
  }

  onGone(callback: () => void): () => void {
    if (this.host.stopping || this.isCallerGone) {
      queueMicrotask(callback);
      return nothing;
    }
    if (this.#onGone === null) {
      this.#onGone = [];
      this.host.waiting.add(this);
      this.response.once('close', onResponseClosed);
      (this.response as WaitedFor)[waitingExchange] = this;
      this.#uncount();
    }
    const callbacks = this.#onGone;
    callbacks.push(callback);
    return () => {
      const index = callbacks.indexOf(callback);
      if (index >= 0) callbacks.splice(index, 1);
    };
  }

  /** Notifies waiting handlers of the shutdown. */
  release(): void {
    const callbacks = this.#onGone ?? [];
    this.#forgetWaiting();
    for (const callback of [...callbacks]) callback();
  }

  #uncount(): void {
    if (!this.#counted) return;
    this.#counted = false;
    this.host.inFlight -= 1;
  }

  #forgetWaiting(): void {
    this.host.waiting.delete(this);
    this.response.off('close', onResponseClosed);
  }
}

const waitingExchange = Symbol('waiting exchange');

interface WaitedFor extends ServerResponse {
  [waitingExchange]?: Exchange;
}

function onResponseClosed(this: WaitedFor): void {
  this[waitingExchange]?.release();
}

function nothing(): void {
  // Nothing to unregister.
}
