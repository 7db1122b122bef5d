import { connect, type Socket } from 'node:net';

/** A response as received. */
export interface WireAnswer {
  readonly status: number;
  /** Status line and headers. */
  readonly head: string;
  readonly body: Buffer;
  /** Receipt of its last byte, `performance.now()`. */
  readonly receivedAt: number;
}

/** A keep-alive connection for one request at a time. Cheap for the load generator. */
export interface HttpConnection {
  /** Sends bytes made by {@link requestBytes} and resolves with the response. */
  send(request: string | Buffer): Promise<WireAnswer>;
  close(): void;
}

export interface HttpTarget {
  readonly port: number;
  readonly host?: string;
  /**
   * Source address, for example `127.0.0.2`: allows more connections than one address has ports.
   */
  readonly localAddress?: string;
}

const HEADERS_END = Buffer.from('\r\n\r\n');

/** Opens a connection. Supports bodies with Content-Length, not chunked ones. */
export async function openHttp(target: HttpTarget): Promise<HttpConnection> {
  const socket = await open(target);
  let waiting: { resolve: (answer: WireAnswer) => void; reject: (error: Error) => void } | null =
    null;
  let received: Buffer | null = null;
  let failure: Error | null = null;

  function fail(error: Error): void {
    failure = error;
    waiting?.reject(error);
    waiting = null;
  }

  socket.on('data', (chunk) => {
    received = received === null ? chunk : Buffer.concat([received, chunk]);
    const answer = parseAnswer(received);
    if (answer === null) return;
    received = null;
    const current = waiting;
    waiting = null;
    current?.resolve(answer);
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('The server closed the connection.')));

  return {
    send: (request) =>
      new Promise((resolve, reject) => {
        if (failure !== null) {
          reject(failure);
          return;
        }
        waiting = { resolve, reject };
        socket.write(request);
      }),
    close: () => {
      socket.destroy();
    },
  };
}

function open({ port, host = '127.0.0.1', localAddress }: HttpTarget): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({
      port,
      host,
      noDelay: true,
      ...(localAddress === undefined ? {} : { localAddress }),
    });
    socket.once('connect', () => {
      socket.removeAllListeners('error');
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

function parseAnswer(bytes: Buffer): WireAnswer | null {
  const headersEnd = bytes.indexOf(HEADERS_END);
  if (headersEnd < 0) return null;
  const head = bytes.toString('latin1', 0, headersEnd);
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined && !/^HTTP\/1\.1 (204|304)/.test(head)) {
    throw new Error(`Unsupported response without Content-Length: ${head}`);
  }
  const bodyAt = headersEnd + HEADERS_END.length;
  const end = bodyAt + Number(length ?? 0);
  if (bytes.length < end) return null;
  return {
    status: Number(head.slice(9, 12)),
    head,
    body: bytes.subarray(bodyAt, end),
    receivedAt: performance.now(),
  };
}

/** Bytes of a request; the body is JSON text unless the headers name another `Content-Type`. */
export function requestBytes(
  method: 'GET' | 'POST',
  target: string,
  headers: Readonly<Record<string, string>>,
  body?: string,
): string {
  let head = `${method} ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\n`;
  for (const name in headers) head += `${name}: ${headers[name]}\r\n`;
  if (body === undefined) return `${head}\r\n`;
  if (headers['Content-Type'] === undefined) head += 'Content-Type: application/json\r\n';
  return `${head}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/**
 * Parses a JSON response. @throws Error with the body's text when the status is not the expected
 * one
 */
export function jsonOf<Body>(answer: WireAnswer, status = 200): Body {
  const text = answer.body.toString('utf8');
  if (answer.status !== status) throw new Error(`HTTP ${answer.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as Body;
}
