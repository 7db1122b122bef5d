import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { limitReached, networkOf } from '../../application/attempts.ts';
import { Overloaded } from '../../application/ports/faults.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { AnsweredAs } from '../problems/problem.ts';

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

/** Limits on requests whose bodies have not arrived yet. */
export interface BodyLimits {
  /** Unfinished bodies at once. */
  readonly total: number;
  /** Unfinished bodies at once per address (IPv6: per /64 network). */
  readonly perAddress: number;
  /** Time for the first 64 KiB of a body, ms; default 10 s. */
  readonly timeoutMs?: number;
}

export interface UnfinishedBodies {
  /**
   * Tracks the body of a request until it is there. Beyond a limit the oldest body of the address
   * is given up, in total that of the address with most: bodies of honest callers arrive within
   * moments, so whoever comes next is served.
   *
   * @param caller its address, after trusted proxies
   * @param refuse answers the request, unless it is answered; its connection ends in any case
   */
  track(
    request: IncomingMessage,
    response: ServerResponse,
    caller: { readonly ip: string },
    refuse: (error: Error) => void,
  ): void;
}

/** Size of a body that must arrive within the timeout, bytes. */
const SMALL = 64 * 1024;
/** Slowest rate of the rest of a large body, bytes per second. */
const MIN_RATE = 32 * 1024;
/** Retry-After of an address with too many, s. */
const RETRY_S = 1;
/** Time for a refused caller to read the answer, ms. */
const LINGER = 2_000;

interface Unfinished {
  readonly request: IncomingMessage;
  readonly network: string;
  /** Start of the time it may take; later, by the time this process was slow to read it. */
  since: number;
  readonly bytesBefore: number;
  readonly giveUp: (error: Error) => void;
}

/** @param isShared true for addresses of trusted proxies, which have no limit of their own */
export function createUnfinishedBodies(
  { total, perAddress, timeoutMs = 10_000 }: BodyLimits,
  isShared: (address: string) => boolean,
): UnfinishedBodies {
  /** Oldest first, in total and by network. */
  const all = new Set<Unfinished>();
  const byNetwork = new Map<string, Set<Unfinished>>();
  const tickMs = Math.min(1000, timeoutMs / 4);
  let timer: NodeJS.Timeout | null = null;

  function forget(body: Unfinished): void {
    if (!all.delete(body)) return;
    const own = byNetwork.get(body.network);
    own?.delete(body);
    if (own?.size === 0) byNetwork.delete(body.network);
    if (all.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  }

  function cut(body: Unfinished | undefined, error: Error): void {
    if (body === undefined) return;
    forget(body);
    body.giveUp(error);
  }

  /** Cuts late bodies. */
  function sweep(): void {
    const now = performance.now();
    for (const body of all) {
      const { request, bytesBefore } = body;
      if (request.complete) forget(body);
      else if (request.readableLength > 0) body.since += tickMs;
      else {
        const large = Math.max(0, request.socket.bytesRead - bytesBefore - SMALL);
        const allowedMs = timeoutMs + (large / MIN_RATE) * 1000;
        if (now - body.since > allowedMs) cut(body, late(timeoutMs));
      }
    }
  }

  function heaviest(): Set<Unfinished> {
    let most = new Set<Unfinished>();
    for (const own of byNetwork.values()) if (own.size > most.size) most = own;
    return most;
  }

  return {
    track(request, response, caller, refuse) {
      if (!hasBody(request) || request.complete) return;
      const address = caller.ip;
      const network = networkOf(address);
      const own = byNetwork.get(network) ?? new Set();
      if (own.size >= perAddress && !isShared(address)) {
        cut(first(own), tooMany(perAddress));
      }
      if (all.size >= total) cut(first(heaviest()), new Overloaded('unfinished bodies'));
      const body: Unfinished = {
        request,
        network,
        since: performance.now(),
        bytesBefore: request.socket.bytesRead,
        giveUp: (error) => giveUp(request, response, () => refuse(error)),
      };
      all.add(body);
      // A body given up above may have been the last of its network.
      byNetwork.set(network, own.add(body));
      timer ??= setInterval(sweep, tickMs).unref();
      const done = () => forget(body);
      request.once('end', done);
      request.once('close', done);
    },
  };
}

/** Answers, then ends the connection: the rest of the body would be taken for a request. */
function giveUp(request: IncomingMessage, response: ServerResponse, refuse: () => void): void {
  if (response.headersSent) {
    request.socket.destroy();
    return;
  }
  response.shouldKeepAlive = false;
  refuse();
  setTimeout(() => request.socket.destroy(), LINGER).unref();
}

function first<Item>(items: ReadonlySet<Item>): Item | undefined {
  return items.values().next().value;
}

function late(timeoutMs: number): AnsweredAs {
  const detail =
    `The body did not arrive in time: its first ${SMALL / 1024} KiB within ${timeoutMs / 1000} s, ` +
    `the rest at ${MIN_RATE / 1024} KiB a second.`;
  return new AnsweredAs(
    408,
    new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '', detail }] }),
  );
}

function tooMany(perAddress: number): Refusal {
  const what = `More than ${perAddress} requests from your address are waiting for their bodies.`;
  const setting = 'SVC_MAX_UNFINISHED_BODIES_PER_ADDRESS';
  return limitReached({ what, setting }, RETRY_S, new Date());
}

/** True for requests that announce a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
