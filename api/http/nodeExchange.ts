import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { type Answer, Exchange, type ExchangeHost, requestIdOf } from './exchange.ts';

/** An exchange that Node's HTTP server read. */
export class NodeExchange extends Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;

  constructor(host: ExchangeHost, request: IncomingMessage, response: ServerResponse) {
    super(host, requestIdOf(request.headers));
    this.request = request;
    this.response = response;
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

  headerCount(name: string): number {
    return this.request.headersDistinct[name]?.length ?? 0;
  }

  get isCallerGone(): boolean {
    return this.request.socket.destroyed;
  }

  get isAnswered(): boolean {
    return this.response.headersSent;
  }

  openBody(): Readable {
    if (this.request.headers.expect !== undefined) this.response.writeContinue();
    return this.request;
  }

  give({ status, headers, body, encoding }: Answer): void {
    const { response } = this;
    if (this.host.stopping) headers.push('connection', 'close');
    response.writeHead(status, headers);
    if (body.length > 0) response.end(body, encoding);
    else response.end();
  }

  protected watchConnection(): void {
    this.response.once('close', onResponseClosed);
    (this.response as WaitedFor)[waitingExchange] = this;
  }

  protected unwatchConnection(): void {
    this.response.off('close', onResponseClosed);
  }
}

const waitingExchange = Symbol('waiting exchange');

interface WaitedFor extends ServerResponse {
  [waitingExchange]?: NodeExchange;
}

function onResponseClosed(this: WaitedFor): void {
  this[waitingExchange]?.release();
}
