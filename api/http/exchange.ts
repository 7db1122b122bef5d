import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { CountedAttempts } from '../../application/attempts.ts';
import type { Actor } from '../../application/ports/eventStore.ts';
import { hasBody, noBytes } from './body.ts';
import type { CallerReader } from './caller.ts';
import { type AddressLimit, limitHeaders, RateLimited } from './rateLimit.ts';
import type { RequestContext } from './route.ts';

/** State shared by all exchanges of a server. */
export interface ExchangeHost {
  readonly caller: CallerReader;
  /** Waiting exchanges, released when the server shuts down. */
  readonly waiting: Set<Exchange>;
  /**
   * Requests in progress: incremented by {@link Exchange.begin}, decremented when one waits, for
   * its body, too, or ends.
   */
  inFlight: number;
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
  /** Headers with `content-length`, where there may be a body; without connection management. */
  readonly headers: RawHeaders;
  readonly body: string | Buffer;
  /** Encoding of a text body. */
  readonly encoding: 'latin1' | 'utf8';
}

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
  rawBody: Buffer = noBytes;
  actor: Actor | null = null;
  /** Rate-limit headers of the response: alternating names and values. */
  limitHeaders: readonly (string | number)[] = noHeaders;
  /** Headers declared by the route: alternating names and values. */
  routeHeaders: readonly string[] = noHeaders;
  /** Counts of this request against limits. */
  readonly counted = new CountedAttempts();
  readonly #host: ExchangeHost;
  #counted = false;
  #ended = false;
  #onGone: (() => void)[] | null = null;

  constructor(host: ExchangeHost, request: IncomingMessage, response: ServerResponse) {
    this.#host = host;
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

  /** True once the response has begun. */
  get isAnswered(): boolean {
    return this.response.headersSent;
  }

  openBody(): Readable {
    if (this.request.headers.expect !== undefined) this.response.writeContinue();
    return this.request;
  }

  /** Writes the response. */
  give({ status, headers, body, encoding }: Answer): void {
    const { response } = this;
    if (this.#host.stopping) headers.push('connection', 'close');
    response.writeHead(status, headers);
    if (body.length > 0) response.end(body, encoding);
    else response.end();
  }

  get ip(): string {
    return this.#host.caller.ip(this);
  }

  get clientCertificate(): string | null {
    return this.#host.caller.clientCertificate(this);
  }

  identified(actor: Actor): void {
    this.actor = actor;
  }

  /** Counts the request against a limit, whose state every response carries. @throws RateLimited */
  async countAgainst(limit: AddressLimit): Promise<void> {
    try {
      this.limitHeaders = limitHeaders(await limit.consume(this.ip));
    } catch (error) {
      if (error instanceof RateLimited) this.limitHeaders = limitHeaders(error.state);
      throw error;
    }
  }

  /** True once the outcome of the request is counted and logged. */
  get hasEnded(): boolean {
    return this.#ended;
  }

  /** Counts the request as work. */
  begin(): void {
    if (this.#counted || this.#ended) return;
    this.#counted = true;
    this.#host.inFlight += 1;
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

  end(): void {
    this.#ended = true;
    this.#uncount();
    if (this.#onGone !== null) this.#forgetWaiting();
  }

  onGone(callback: () => void): () => void {
    if (this.#host.stopping || this.isCallerGone) {
      queueMicrotask(callback);
      return nothing;
    }
    if (this.#onGone === null) {
      this.#onGone = [];
      this.#host.waiting.add(this);
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
    this.#host.inFlight -= 1;
  }

  #forgetWaiting(): void {
    this.#host.waiting.delete(this);
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
