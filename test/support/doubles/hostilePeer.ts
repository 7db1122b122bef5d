import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { until } from '../assertions/waiting.ts';

/** Conduct of a peer on one request: it writes whatever it likes to the connection. */
export type Script = (socket: Socket, request: IncomingMessage, body: Buffer) => unknown;

/** A peer on this machine that answers as it is told to, over HTTP or below it. */
export interface HostilePeer {
  readonly origin: string;
  readonly port: number;
  /** Answers requests over HTTP. */
  script: Script;
  /** Takes connections in place of HTTP; null: they are for HTTP. */
  connected: ((socket: Socket) => unknown) | null;
  /** Requests since the last {@link boundedly}. */
  readonly calls: number;
  /**
   * Outcome of a call, its value or its error. The peer was let go of, had no more read than `longest` bytes and what
   * the system keeps of a connection, and cost no time of the processor to speak of.
   */
  boundedly(call: () => PromiseLike<unknown>, longest?: number): Promise<unknown>;
  stop(): Promise<void>;
}

/** Bytes that the system may take of a connection though nobody reads them. */
const KEPT_BY_THE_SYSTEM = 16 * 1024 * 1024;
/** A connection of which no more is read is closed at once, not when some timeout ends it. */
const LET_GO_MS = 2_000;
/**
 * Time of the processor for one call, twenty times what it takes: other processes slow the processor down and do not
 * count otherwise. What is not bounded takes all of the time there is.
 */
const MOST_CPU_MS = 1500;

export async function startHostilePeer(): Promise<HostilePeer> {
  const open = new Set<Socket>();
  let calls = 0;
  let sent = 0;
  const http = createHttpServer((request) => {
    calls += 1;
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => peer.script(request.socket, request, Buffer.concat(chunks)));
  });
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => {
      open.delete(socket);
      sent += socket.bytesWritten;
    });
    if (peer.connected === null) http.emit('connection', socket);
    else peer.connected(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const peer = {
    origin: `http://127.0.0.1:${port}`,
    port,
    script: (() => undefined) as Script,
    connected: null as HostilePeer['connected'],
    get calls() {
      return calls;
    },
    async boundedly(call: () => PromiseLike<unknown>, longest = 0): Promise<unknown> {
      calls = sent = 0;
      const before = process.cpuUsage();
      const outcome = await call().then(
        (value) => value,
        (error: unknown) => error,
      );
      // One that does not read does not notice that the other side is gone.
      for (const socket of open) socket.resume();
      await until(() => open.size === 0, LET_GO_MS);
      const { user, system } = process.cpuUsage(before);
      expect(sent, 'bytes').to.be.below(longest + KEPT_BY_THE_SYSTEM);
      expect((user + system) / 1000, 'ms of the processor').to.be.below(MOST_CPU_MS);
      return outcome;
    },
    stop: () =>
      new Promise<void>((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
  return peer;
}

/** Writes as fast as it is read, until the other side is gone. */
export function pour(socket: Socket, piece: Buffer | string): void {
  const fill = () => {
    while (!socket.destroyed && socket.write(piece));
  };
  socket.on('drain', fill);
  fill();
}

/** Writes a byte now and then, until the other side is gone. */
export function trickle(socket: Socket, byte: string): void {
  const timer = setInterval(() => socket.write(byte), 5);
  socket.on('close', () => clearInterval(timer));
}

/** Answers with a body, and closes the connection. */
export function answer(
  socket: Socket,
  body: Buffer | string,
  { status = 200, type = 'application/json', headers = '' } = {},
): void {
  const length = Buffer.byteLength(body);
  socket.write(
    `HTTP/1.1 ${status} .\r\ncontent-type: ${type}\r\n${headers}content-length: ${length}\r\nconnection: close\r\n\r\n`,
  );
  socket.end(body);
}

/** An answer over HTTP that no peer of good will gives. */
export interface HostileAnswer {
  readonly what: string;
  /** Tells that the status, 200, comes. */
  readonly hasStatus: boolean;
  /** Tells that it never ends and stays short. */
  readonly lasts: boolean;
  /** @param type media type that the reader expects */
  give(socket: Socket, type: string): void;
}

/** 16 MiB in 16 KiB; members of gzip that follow each other are one stream. */
const bomb = gzipSync(Buffer.alloc(16 * 1024 * 1024));
const head = (type: string, more: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n${more}\r\n`;
const piece = 'x'.repeat(65_536);

export const hostileAnswers: readonly HostileAnswer[] = (
  [
    ['silence', 'lasts', () => undefined],
    ['what is no HTTP', '', (socket) => socket.end('stream: OK\0')],
    ['an endless head', '', (socket) => pour(socket, `x-more: ${piece}\r\n`)],
    [
      'endless interim answers',
      'lasts',
      (socket) => pour(socket, 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100)),
    ],
    [
      'a redirection to itself',
      '',
      (socket) => answer(socket, '', { status: 307, headers: 'location: /\r\n' }),
    ],
    [
      'an endless body',
      'status',
      (socket, type) => {
        socket.write(head(type, ''));
        pour(socket, piece);
      },
    ],
    [
      'an endless body that is compressed',
      'status',
      (socket, type) => {
        socket.write(head(type, 'content-encoding: gzip\r\n'));
        pour(socket, bomb);
      },
    ],
    [
      'a body that trickles',
      'status lasts',
      (socket, type) => {
        socket.write(head(type, ''));
        trickle(socket, ' ');
      },
    ],
    [
      'a body shorter than announced',
      'status',
      (socket, type) => socket.end(`${head(type, 'content-length: 400000000\r\n')}{}`),
    ],
    [
      'a chunk that is none',
      'status',
      (socket, type) => socket.end(`${head(type, 'transfer-encoding: chunked\r\n')}-1\r\n{}`),
    ],
    [
      'JSON of 30,000 levels',
      'status',
      (socket, type) => answer(socket, '['.repeat(30_000) + ']'.repeat(30_000), { type }),
    ],
    [
      'an array of 30,000',
      'status',
      (socket, type) => answer(socket, JSON.stringify(Array(30_000).fill(0)), { type }),
    ],
    ['a page', 'status', (socket) => answer(socket, '<html>', { type: 'text/html' })],
    ['a number', 'status', (socket, type) => answer(socket, '1e308', { type })],
  ] as const satisfies readonly (readonly [string, string, HostileAnswer['give']])[]
).map(([what, flags, give]) => ({
  what,
  give,
  hasStatus: flags.includes('status'),
  lasts: flags.includes('lasts'),
}));
