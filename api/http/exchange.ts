import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import type { Actor } from '../../application/ports/eventStore.ts';
import { noBytes } from './body.ts';
import type { CallerReader } from './caller.ts';
import type { RequestContext } from './route.ts';

/** What all exchanges of one server share. */
export interface ExchangeHost {
  readonly caller: CallerReader;
  /** Exchanges that wait for something; told when the server shuts down. */
  readonly waiting: Set<Exchange>;
  /** Work in flight: grows with {@link Exchange.begin}, shrinks when it waits or ends. */
  inFlight: number;
  stopping: boolean;
}

const noHeaders: readonly never[] = [];

const SANE_REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/**
 * One request and its answer. A class, unlike its surroundings, because thousands wait at a time: its methods are
 * shared, and whatever is not asked for (address, headers, certificate) is never computed or kept.
 */
export class Exchange implements RequestContext {
  readonly requestId: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly startedAt = performance.now();
  rawBody: Buffer = noBytes;
  actor: Actor | null = null;
  /** Names and values in turn, for every answer: how the caller's address stands to a limit. */
  limitHeaders: readonly (string | number)[] = noHeaders;
  /** Names and values in turn, for every answer: what the row says of itself. */
  rowHeaders: readonly string[] = noHeaders;
  readonly #host: ExchangeHost;
  #counted = false;
  #onGone: (() => void)[] | null = null;

  constructor(host: ExchangeHost, request: IncomingMessage, response: ServerResponse) {
    const sent = request.headers['x-request-id'];
    this.#host = host;
    this.request = request;
    this.response = response;
    this.requestId = typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : randomUUID();
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

  headerCount(name: string): number {
    return this.request.headersDistinct[name]?.length ?? 0;
  }

  get ip(): string {
    return this.#host.caller.ip(this.request);
  }

  get clientCertificate(): string | null {
    return this.#host.caller.clientCertificate(this.request);
  }

  /** Whether nobody is there to read the answer. */
  get isCallerGone(): boolean {
    return this.request.socket.destroyed;
  }

  openBody(): Readable {
    if (this.request.headers.expect !== undefined) this.response.writeContinue();
    return this.request;
  }

  identified(actor: Actor): void {
    this.actor = actor;
  }

  begin(): void {
    this.#counted = true;
    this.#host.inFlight += 1;
  }

  end(): void {
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

  /** Tells those who wait that there is no more time. */
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
  // Nothing was registered.
}
