import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** An answer given at the door: head and body as they are written, a character (latin1) for each byte. */
export interface DoorAnswer {
  readonly text: string;
  /** Whether the connection ends with it. */
  readonly isLast: boolean;
}

export interface DoorOptions {
  /** Its event for a connection that may be read: `secureConnection` over TLS. */
  readonly opened: 'connection' | 'secureConnection';
  /** How long a connection may stay without a word before its first request, and between two, ms. */
  readonly patienceMs: { readonly first: number; readonly next: number };
  /** The answer to a whole request, where it is at hand. Must not throw. */
  answer(bytes: Buffer): DoorAnswer | null;
}

/** Where connections arrive. */
export interface Door {
  start(): void;
  /** Ends the connections that wait here or have not brought a whole head yet: they are owed nothing. */
  stop(): void;
}

/** What Node's server says when the head of a request is whole; with `Expect` it is not `request`. */
const HEAD_ARRIVED = ['request', 'checkContinue', 'checkExpectation'] as const;

/**
 * Stands before Node's HTTP server: requests whose answers are at hand are answered from what arrived, without the
 * parser, the streams and the objects of a request, which cost several times the answer. With the first request
 * that is anything else the connection is let in, with what was read of it, and stays there. So a connection here is
 * always between two requests.
 *
 * Node's server takes connections from others by contract (`http.Server`, event `connection`).
 */
export function createDoor(server: Server, options: DoorOptions): Door {
  const { opened, patienceMs, answer } = options;
  const inside = server.listeners(opened) as ((socket: Socket) => void)[];
  server.removeAllListeners(opened);
  /** When they last asked, in rounds; below zero, when they came without having asked yet. */
  const waiting = new Map<Socket, number>();
  /** Those let in whose first request has not arrived to the end of its head: Node counts them neither as idle nor as busy. */
  const begun = new Set<Socket>();
  // Looked at in rounds, three while the first request is waited for: a timer for each would cost more than most answers.
  const roundMs = patienceMs.first / 3;
  const patience = { first: 3, next: Math.ceil(patienceMs.next / roundMs) };
  let round = 1;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;

  function onData(this: Socket, bytes: Buffer): void {
    if (!waiting.has(this)) return;
    // What was answered before is not read by the other side: Node knows how to hold such a connection back.
    const answered = this.writableLength === 0 ? answer(bytes) : null;
    if (answered === null) enter(this, bytes);
    else if (answered.isLast) {
      waiting.delete(this);
      this.end(answered.text, 'latin1');
      this.destroySoon();
    } else {
      waiting.set(this, round);
      this.write(answered.text, 'latin1');
    }
  }

  function onEnd(this: Socket): void {
    waiting.delete(this);
    this.end();
  }

  function onError(this: Socket): void {
    waiting.delete(this);
  }

  function enter(socket: Socket, bytes: Buffer): void {
    waiting.delete(socket);
    socket.off('data', onData);
    socket.off('end', onEnd);
    socket.off('error', onError);
    begun.add(socket);
    for (const listener of inside) listener.call(server, socket);
    socket.unshift(bytes);
  }

  function lookAround(): void {
    round += 1;
    for (const socket of begun) if (socket.destroyed) begun.delete(socket);
    for (const [socket, since] of waiting) {
      if (socket.destroyed) waiting.delete(socket);
      // Not half-closed: who neither reads nor ends would hold the connection for ever.
      else if (since >= 0 && round - since > patience.next) socket.destroy();
      else if (since < 0 && round + since > patience.first) giveUp(socket);
    }
  }

  /** As Node's server does with a connection that brings no request. */
  function giveUp(socket: Socket): void {
    waiting.delete(socket);
    const error = new Error('Nothing was asked.');
    server.emit('clientError', Object.assign(error, { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), socket);
  }

  server.on(opened, (socket: Socket) => {
    // A handshake may end after the stop, when nobody looks around any more.
    if (isStopped) {
      socket.destroy();
      return;
    }
    waiting.set(socket, -round);
    socket.on('data', onData);
    socket.on('end', onEnd);
    socket.on('error', onError);
  });
  for (const event of HEAD_ARRIVED) {
    server.on(event, ({ socket }: IncomingMessage) => begun.delete(socket));
  }

  return {
    start: () => {
      timer = setInterval(lookAround, roundMs);
      timer.unref();
    },
    stop: () => {
      isStopped = true;
      clearInterval(timer);
      for (const socket of waiting.keys()) socket.destroySoon();
      for (const socket of begun) socket.destroy();
      waiting.clear();
      begun.clear();
    },
  };
}
