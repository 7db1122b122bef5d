import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
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

/** Names and values in turn, as Node writes them at the least cost: a fifth of an answer less than an object of them. */
export type RawHeaders = (string | number)[];

/** What is written: head and body. */
export interface Answer {
  readonly status: number;
  /** With `content-length`, where there may be a body; without what says whether the connection lasts. */
  readonly headers: RawHeaders;
  readonly body: string | Buffer;
  /** Of a text. */
  readonly encoding: 'latin1' | 'utf8';
}

const noHeaders: readonly never[] = [];

const SANE_REQUEST_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{7,63}$/;

/** The id a request brought, where it may stand in logs; else a new one. */
export function requestIdOf({ 'x-request-id': sent }: Readonly<IncomingHttpHeaders>): string {
  return typeof sent === 'string' && SANE_REQUEST_ID.test(sent) ? sent : randomUUID();
}

/**
 * One request and its answer, whoever read it off the connection. A class, unlike its surroundings, because thousands
 * wait at a time: its methods are shared, and whatever is not asked for (address, headers, certificate) is never
 * computed or kept.
 */
export abstract class Exchange implements RequestContext {
  readonly requestId: string;
  readonly startedAt = performance.now();
  abstract readonly method: string;
  abstract readonly target: string;
  abstract readonly headers: Readonly<IncomingHttpHeaders>;
  abstract readonly socket: Socket;
  rawBody: Buffer = noBytes;
  actor: Actor | null = null;
  /** Names and values in turn, for every answer: how the caller's address stands to a limit. */
  limitHeaders: readonly (string | number)[] = noHeaders;
  /** Names and values in turn, for every answer: what the row says of itself. */
  rowHeaders: readonly string[] = noHeaders;
  protected readonly host: ExchangeHost;
  #counted = false;
  #onGone: (() => void)[] | null = null;

  constructor(host: ExchangeHost, requestId: string) {
    this.host = host;
    this.requestId = requestId;
  }

  abstract headerCount(name: string): number;
  abstract openBody(): Readable;
  /** Whether nobody is there to read the answer. */
  abstract readonly isCallerGone: boolean;
  /** Whether an answer was begun. */
  abstract readonly isAnswered: boolean;
  /** Writes the answer. */
  abstract give(answer: Answer): void;
  /** From now on {@link release} is called when the connection closes. */
  protected abstract watchConnection(): void;
  protected abstract unwatchConnection(): void;

  get ip(): string {
    return this.host.caller.ip(this);
  }

  get clientCertificate(): string | null {
    return this.host.caller.clientCertificate(this);
  }

  identified(actor: Actor): void {
    this.actor = actor;
  }

  begin(): void {
    this.#counted = true;
    this.host.inFlight += 1;
  }

  end(): void {
    this.#uncount();
    if (this.#onGone !== null) this.#forgetWaiting();
  }

  onGone(callback: () => void): () => void {
    if (this.host.stopping || this.isCallerGone) {
      queueMicrotask(callback);
      return nothing;
    }
    if (this.#onGone === null) {
      this.#onGone = [];
      this.host.waiting.add(this);
      this.watchConnection();
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
    this.host.inFlight -= 1;
  }

  #forgetWaiting(): void {
    this.host.waiting.delete(this);
    this.unwatchConnection();
  }
}

function nothing(): void {
  // Nothing was registered.
}
