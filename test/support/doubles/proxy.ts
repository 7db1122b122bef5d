import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A TCP proxy before a server: what a network does to connections can be done here. */
export interface TestProxy {
  readonly port: number;
  /** Ends all connections and accepts none until `mend`. */
  cut(): void;
  /** Keeps all connections, accepts new ones and passes nothing on until `mend`: a server that fell silent. */
  stall(): void;
  /** Passes each piece on so much later, ms, until `mend`. */
  slow(delayMs: number): void;
  mend(): void;
  close(): Promise<void>;
}

/** @param targetPort the server's; asked for anew with each connection */
export async function startProxy(targetPort: number | (() => number)): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isStalled = false;
  let delayMs = 0;
  const server = createServer((incoming) => {
    if (isCut) {
      incoming.destroy();
      return;
    }
    const outgoing = createConnection(
      typeof targetPort === 'number' ? targetPort : targetPort(),
      '127.0.0.1',
    );
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const) {
      sockets.add(from);
      from.pipe(delaying()).pipe(to);
      if (isStalled) from.pause();
      from.on('error', () => undefined);
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');

  const delaying = () =>
    new Transform({
      transform: (chunk, _, pass) => {
        if (delayMs === 0) pass(null, chunk);
        else setTimeout(pass, delayMs, null, chunk);
      },
    });

  function cut() {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  }

  return {
    port: (server.address() as AddressInfo).port,
    cut,
    stall: () => {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    slow: (ms) => {
      delayMs = ms;
    },
    mend: () => {
      delayMs = 0;
      isCut = false;
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    async close() {
      cut();
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}
