import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { networkOf } from '../../application/attempts.ts';

/** Limits on connections of unidentified callers. */
export interface ConnectionLimits {
  /** Limit of concurrent connections; further ones are closed unread. */
  readonly total: number;
  /** Limit of concurrent connections per address; an IPv6 network (/64) counts as one. */
  readonly perAddress: number;
  /** True for addresses of trusted proxies, which many callers share. */
  readonly isShared: (address: string) => boolean;
  /** Time to read a complete response, or anything of one that is being written, ms; default 60 s. */
  readonly unreadTimeoutMs?: number;
}

export interface Connections {
  /**
   * Counts an unanswered request. Closes the connection when it has sent too many before reading
   * their responses (HTTP pipelining).
   *
   * @returns true when the request may be served
   */
  accept(request: IncomingMessage, response: ServerResponse): boolean;
  /** Bytes of responses that callers have not read yet. */
  readonly unreadBytes: number;
  /** Tracks the unread part of a complete response, and closes the connection after a timeout. */
  answered(response: ServerResponse): void;
  /** Tracks the unread part of a response that is written piece by piece, or by a mounted program. */
  writing(response: ServerResponse): void;
  /** Closes connections that have not sent a whole request: shutdown need not wait for them. */
  closeSilent(): void;
  closeAll(): void;
}

/** Limit of unanswered requests per connection; browsers, libraries and proxies have one. */
const MAX_UNANSWERED = 32;
/** Limit of unread bytes of a connection that sends further requests. */
const MAX_UNREAD = 1024 * 1024;
/** Default of {@link ConnectionLimits.unreadTimeoutMs}, ms. */
const UNREAD_TIMEOUT = 60_000;

const unanswered = Symbol('unanswered requests');

interface CountedSocket extends Socket {
  [unanswered]?: Set<ServerResponse>;
}

/** Bounds the connections of one server: without, pipelined requests exhaust its memory. */
export function createConnections(
  server: Server,
  isTls: boolean,
  { total, perAddress, isShared, unreadTimeoutMs = UNREAD_TIMEOUT }: ConnectionLimits,
): Connections {
  const open = new Set<Socket>();
  const silent = new Set<Socket>();
  const beingWritten = new Set<ServerResponse>();
  const perAddressOpen = new Map<string, number>();
  let unreadBytes = 0;

  server.maxConnections = total;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    const address = networkOf(socket.remoteAddress ?? '');
    const count = (perAddressOpen.get(address) ?? 0) + 1;
    perAddressOpen.set(address, count);
    socket.once('close', () => {
      open.delete(socket);
      const left = (perAddressOpen.get(address) ?? 1) - 1;
      if (left === 0) perAddressOpen.delete(address);
      else perAddressOpen.set(address, left);
    });
    if (count > perAddress && !isShared(socket.remoteAddress ?? '')) socket.destroy();
  });
  server.on(isTls ? 'secureConnection' : 'connection', (socket: Socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  // Fires when nothing was received and nothing of what is to be sent was taken for as long.
  server.timeout = unreadTimeoutMs;
  server.on('timeout', (socket: CountedSocket) => {
    const isAsking = (socket[unanswered]?.size ?? 0) > 0;
    if (!isAsking || socket.writableLength > 0) socket.destroy();
  });

  return {
    accept(request, response) {
      const socket: CountedSocket = request.socket;
      if (socket.destroyed) return false;
      silent.delete(socket);
      const waiting = socket[unanswered] ?? new Set();
      socket[unanswered] = waiting;
      waiting.add(response);
      response.once('close', () => waiting.delete(response));
      if (waiting.size === 1) return true;
      let unread = 0;
      for (const { writableLength } of waiting) unread += writableLength;
      if (waiting.size <= MAX_UNANSWERED && unread <= MAX_UNREAD) return true;
      socket.destroy();
      return false;
    },
    get unreadBytes() {
      let sum = unreadBytes;
      for (const { writableLength } of beingWritten) sum += writableLength;
      return sum;
    },
    answered(response) {
      const unread = response.writableLength;
      if (unread === 0) return;
      unreadBytes += unread;
      const timeout = setTimeout(() => response.destroy(), unreadTimeoutMs).unref();
      response.once('close', () => {
        unreadBytes -= unread;
        clearTimeout(timeout);
      });
    },
    writing(response) {
      beingWritten.add(response);
      response.once('close', () => beingWritten.delete(response));
    },
    closeSilent() {
      for (const socket of silent) socket.destroy();
    },
    closeAll() {
      for (const socket of open) socket.destroy();
    },
  };
}
