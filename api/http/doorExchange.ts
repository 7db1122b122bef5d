import { STATUS_CODES, type IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { Answerer, DoorConnection } from './door.ts';
import { type Answer, Exchange, type ExchangeHost, requestIdOf } from './exchange.ts';
import type { PlainRequest } from './plainRequest.ts';

/**
 * The beginning of an answer's head as Node would write it: status line, date, persistence of the connection.
 *
 * @param isLast whether the connection ends with it
 */
export type HeadWriter = (status: number, isLast: boolean) => string;

/** @param keepAliveMs how long a connection is kept for the next request; told to the caller */
export function createHeadWriter(keepAliveMs: number): HeadWriter {
  const kept = `connection: keep-alive\r\nkeep-alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n`;
  const last = 'connection: close\r\n';
  const date = httpDateNow();
  return (status, isLast) =>
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ndate: ${date()}\r\n${isLast ? last : kept}`;
}

/** What may not stand in a field's value (RFC 9110 §5.5). */
const FORBIDDEN = /[^\t -~\u0080-\u00ff]/;

/** The lines of a head. @param headers names and values in turn @throws Error when a value would end its line, as Node does */
export function linesOf(headers: readonly (string | number)[]): string {
  let lines = '';
  for (let at = 0; at + 1 < headers.length; at += 2) {
    const name = headers[at] ?? '';
    const value = headers[at + 1] ?? '';
    if (typeof value === 'string' && FORBIDDEN.test(value)) {
      throw new Error(`The header ${name} has a character that no header may have.`);
    }
    lines += `${name}: ${value}\r\n`;
  }
  return lines;
}

/** Bytes up to this long are written in one piece with the head, which saves more than copying them costs. */
const WRITTEN_AS_TEXT = 8192;

/** An exchange that was read at the door. */
export class DoorExchange extends Exchange implements Answerer {
  readonly #connection: DoorConnection;
  readonly #request: PlainRequest;
  readonly #head: HeadWriter;
  #isAnswered = false;

  constructor(
    host: ExchangeHost,
    connection: DoorConnection,
    request: PlainRequest,
    head: HeadWriter,
  ) {
    super(host, requestIdOf(request.headers));
    this.rawBody = request.body;
    this.#connection = connection;
    this.#request = request;
    this.#head = head;
  }

  get method(): string {
    return this.#request.method;
  }

  get target(): string {
    return this.#request.target;
  }

  get headers(): Readonly<IncomingHttpHeaders> {
    return this.#request.headers;
  }

  get socket(): Socket {
    return this.#connection.socket;
  }

  /** No field comes twice here. */
  headerCount(name: string): number {
    return this.#request.headers[name] === undefined ? 0 : 1;
  }

  get isCallerGone(): boolean {
    const { destroyed, writableEnded } = this.#connection.socket;
    // The last answer ends the connection by itself.
    return destroyed || (writableEnded && !this.#isAnswered);
  }

  get isAnswered(): boolean {
    return this.#isAnswered;
  }

  openBody(): Readable {
    return Readable.from([this.rawBody]);
  }

  give({ status, headers, body, encoding }: Answer): void {
    const isLast = this.#request.isLast || this.host.stopping;
    const head = `${this.#head(status, isLast)}${linesOf(headers)}\r\n`;
    this.#isAnswered = true;
    const connection = this.#connection;
    if (typeof body === 'string') {
      connection.answer({ text: head + body, encoding, body: null, isLast });
    } else if (body.length > WRITTEN_AS_TEXT) {
      connection.answer({ text: head, encoding: 'latin1', body, isLast });
    } else {
      const text = head + body.toString('latin1');
      connection.answer({ text, encoding: 'latin1', body: null, isLast });
    }
  }

  connectionClosed(): void {
    this.release();
  }

  protected watchConnection(): void {
    this.#connection.answerer = this;
  }

  protected unwatchConnection(): void {
    this.#connection.answerer = null;
  }
}

/** The time of the Date header, formatted once a second. */
function httpDateNow(): () => string {
  let second = 0;
  let text = '';
  return () => {
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) {
      second = now;
      text = new Date(now * 1000).toUTCString();
    }
    return text;
  };
}
