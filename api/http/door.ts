import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

/** An answer given at the door. */
export interface DoorAnswer {
  /** As it is written: with `body`, the head alone. */
  readonly text: string;
  /** Of the text: a character for each byte, or not. */
  readonly encoding: 'latin1' | 'utf8';
  /** Bytes that follow the text; null: it is all. */
  readonly body: Buffer | null;
  /** Whether the connection ends with it. */
  readonly isLast: boolean;
}

/** Whoever promised an answer. */
export interface Answerer {
  /** The connection is gone, nobody will read the answer. */
  connectionClosed(): void;
}

/** A connection whose request is answered at the door. */
export interface DoorConnection {
  readonly socket: Socket;
  /** Told when the connection closes before it has the answer it was promised; null: nobody. */
  answerer: Answerer | null;
  /** Gives the answer that was promised, once. */
  answer(answer: DoorAnswer): void;
}

export interface DoorOptions {
  /** Its event for a connection that may be read: `secureConnection` over TLS. */
  readonly opened: 'connection' | 'secureConnection';
  /** How long a connection may stay without a word before its first request, and between two, ms. */
  readonly patienceMs: { readonly first: number; readonly next: number };
  /**
   * Takes a whole request, where it can; must not throw.
   *
   * @returns the answer; or `promised`: it is or will be given to the connection; null: not one to be answered here
   */
  take(bytes: Buffer, connection: DoorConnection): DoorAnswer | 'promised' | null;
}

/** Where connections arrive. */
export interface Door {
  start(): void;
  /** Ends the connections that wait here or have not brought a whole head yet: they are owed nothing. */
  stop(): void;
  /** Ends those too that are owed an answer. */
  cutOff(): void;
}

/** What Node's server says when the head of a request is whole; with `Expect` it is not `request`. */
const HEAD_ARRIVED = ['request', 'checkContinue', 'checkExpectation'] as const;

/** What is kept of requests that come before the last is answered; with more, no more is read, bytes. */
const MAX_EARLY = 64 * 1024;

const atDoor = Symbol('connection at the door');

interface SocketAtDoor extends Socket {
  [atDoor]?: Connection | undefined;
}

/**
 * Stands before Node's HTTP server: plain requests are taken here as they arrived, without the parser, the streams and
 * the objects of a request, which cost several times many an answer and hold memory while it is waited for. With the
 * first request that is anything else the connection is let in, with what was read of it, and stays there.
 *
 * Node's server takes connections from others by contract (`http.Server`, event `connection`).
 */
export function createDoor(server: Server, options: DoorOptions): Door {
  const { opened, patienceMs } = options;
  const inside = server.listeners(opened) as ((socket: Socket) => void)[];
  server.removeAllListeners(opened);
  /** Those let in whose first request has not arrived to the end of its head: Node counts them neither as idle nor as busy. */
  const begun = new Set<Socket>();
  // Looked at in rounds, three while the first request is waited for: a timer for each would cost more than most answers.
  const roundMs = patienceMs.first / 3;
  const patience = { first: 3, next: Math.ceil(patienceMs.next / roundMs) };
  let timer: NodeJS.Timeout | undefined;
  const entrance: Entrance = {
    connections: new Set(),
    round: 1,
    isStopped: false,
    take: (bytes, connection) => options.take(bytes, connection),
    letIn: (socket, bytes) => {
      begun.add(socket);
      for (const listener of inside) listener.call(server, socket);
      socket.unshift(bytes);
      if (socket.isPaused()) socket.resume();
    },
  };

  function lookAround(): void {
    entrance.round += 1;
    const { round, connections } = entrance;
    for (const socket of begun) if (socket.destroyed) begun.delete(socket);
    for (const connection of connections) {
      const { socket, since, isOwed } = connection;
      if (isOwed) continue;
      if (socket.writableLength > 0) connection.since = round;
      // Not half-closed: who neither reads nor ends would hold the connection for ever.
      else if (since >= 0 && round - since > patience.next) socket.destroy();
      else if (since < 0 && round + since > patience.first) giveUp(connection);
    }
  }

  /** As Node's server does with a connection that brings no request. */
  function giveUp(connection: Connection): void {
    connection.leave();
    // Whoever is told so may break off; without a listener that would end the process.
    connection.socket.on('error', onError);
    const error = new Error('Nothing was asked.');
    const code = 'ERR_HTTP_REQUEST_TIMEOUT';
    server.emit('clientError', Object.assign(error, { code }), connection.socket);
  }

  server.on(opened, (socket: Socket) => {
    // A handshake may end after the stop, when nobody looks around any more.
    if (entrance.isStopped) socket.destroy();
    else new Connection(socket, entrance).enter();
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
      entrance.isStopped = true;
      clearInterval(timer);
      for (const { socket, isOwed } of entrance.connections) if (!isOwed) socket.destroySoon();
      // With the rest of an answer given here before, if there is any.
      for (const socket of begun) socket.destroySoon();
      begun.clear();
    },
    cutOff: () => {
      for (const { socket } of entrance.connections) socket.destroy();
    },
  };
}

/** What the connections of one door share. */
interface Entrance {
  readonly connections: Set<Connection>;
  /** Counts the times somebody looked around. */
  round: number;
  isStopped: boolean;
  readonly take: DoorOptions['take'];
  letIn(socket: Socket, bytes: Buffer): void;
}

/**
 * One connection that stands at the door: between two requests, or owed an answer. A class, unlike its surroundings,
 * because thousands stand there at a time: its methods are shared.
 */
class Connection implements DoorConnection {
  readonly socket: Socket;
  answerer: Answerer | null = null;
  /** The round in which it was answered last; below zero, in which it came without having asked yet. */
  since: number;
  /** Whether a request is being worked on. */
  isOwed = false;
  readonly #entrance: Entrance;
  /** What came before the answer that is owed. */
  #early: Buffer[] | null = null;
  #earlyBytes = 0;

  constructor(socket: Socket, entrance: Entrance) {
    this.socket = socket;
    this.since = -entrance.round;
    this.#entrance = entrance;
  }

  enter(): void {
    const { socket } = this;
    this.#entrance.connections.add(this);
    (socket as SocketAtDoor)[atDoor] = this;
    socket.on('data', onData);
    socket.on('end', onEnd);
    socket.on('error', onError);
    socket.on('close', onClose);
  }

  leave(): void {
    const { socket } = this;
    this.#entrance.connections.delete(this);
    (socket as SocketAtDoor)[atDoor] = undefined;
    socket.off('data', onData);
    socket.off('end', onEnd);
    socket.off('error', onError);
    socket.off('close', onClose);
  }

  take(bytes: Buffer): void {
    // Nothing is done any more for who has had the last answer.
    if (this.socket.writableEnded) return;
    if (this.isOwed) {
      this.#keep(bytes);
      return;
    }
    this.isOwed = true;
    // What was answered before is not read by the other side: Node knows how to hold such a connection back.
    const answer = this.socket.writableLength === 0 ? this.#entrance.take(bytes, this) : null;
    if (answer === null) this.#letIn(bytes);
    else if (answer !== 'promised') this.answer(answer);
  }

  answer({ text, encoding, body, isLast }: DoorAnswer): void {
    const { socket } = this;
    this.answerer = null;
    this.isOwed = false;
    if (socket.destroyed || socket.writableEnded) return;
    this.since = this.#entrance.round;
    if (body === null) socket.write(text, encoding);
    else {
      socket.cork();
      socket.write(text, encoding);
      socket.write(body);
      socket.uncork();
    }
    const early = this.#early;
    if (isLast) {
      socket.end();
      socket.destroySoon();
    } else if (early !== null) this.#letIn(Buffer.concat(early));
  }

  ended(): void {
    this.socket.end();
  }

  closed(): void {
    this.#entrance.connections.delete(this);
    const { answerer } = this;
    this.answerer = null;
    answerer?.connectionClosed();
  }

  #letIn(bytes: Buffer): void {
    this.leave();
    this.#entrance.letIn(this.socket, bytes);
  }

  /** For Node, which knows of requests that follow each other. */
  #keep(bytes: Buffer): void {
    (this.#early ??= []).push(bytes);
    this.#earlyBytes += bytes.length;
    if (this.#earlyBytes > MAX_EARLY) this.socket.pause();
  }
}

function onData(this: SocketAtDoor, bytes: Buffer): void {
  this[atDoor]?.take(bytes);
}

function onEnd(this: SocketAtDoor): void {
  this[atDoor]?.ended();
}

function onClose(this: SocketAtDoor): void {
  this[atDoor]?.closed();
}

function onError(): void {
  // It closes.
}
