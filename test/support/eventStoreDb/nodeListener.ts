import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import * as grpc from '@grpc/grpc-js';

/** The TCP door of a node: what a process or a network does to connections happens here. */
export interface NodeListener {
  readonly port: number;
  /** Connections of clients that are open now. */
  readonly connections: number;
  /** Listens again on the same port. */
  open(): Promise<void>;
  /** Ends all connections and refuses new ones, as a killed process does. */
  close(): void;
  /** Keeps connections and takes new ones, but passes nothing on, as a stopped process does. */
  freeze(): void;
  /** Passes on all that came meanwhile. */
  thaw(): void;
  /** Asks clients to go and refuses new ones; calls go on. */
  drain(): void;
  /** Closes for good. */
  stop(): void;
  /** Ends the connection whose calls have this peer, behind what was written to it. */
  disconnect(peer: string): void;
}

/** After that the library itself ends what drains. */
const DRAIN_MS = 60_000;

/** Connections go through here to a gRPC server, which sees them as connections of its own. */
export async function createNodeListener(server: grpc.Server): Promise<NodeListener> {
  const injector = server.createConnectionInjector(grpc.ServerCredentials.createInsecure());
  const served = new Map<number, Socket>();
  const behind = createServer((socket) => {
    const { remotePort = 0 } = socket;
    served.set(remotePort, socket);
    socket.on('error', () => undefined);
    socket.on('close', () => served.delete(remotePort));
    injector.injectConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(behind, 'listening');
  const clients = new Set<Socket>();
  const passing = new Set<Socket>();
  let isFrozen = false;
  let frozen: (() => void)[] = [];
  let port = 0;

  const front = createServer((client) => {
    client.setNoDelay(true);
    clients.add(client);
    client.on('error', () => undefined);
    client.on('close', () => clients.delete(client));
    if (isFrozen) frozen.push(() => passOn(client));
    else passOn(client);
  });

  function passOn(client: Socket): void {
    const inner = createConnection((behind.address() as AddressInfo).port, '127.0.0.1');
    inner.setNoDelay(true);
    inner.on('error', () => undefined);
    for (const [from, to] of [
      [client, inner],
      [inner, client],
    ] as const) {
      passing.add(from);
      from.on('data', (chunk: Buffer) => {
        if (!to.write(chunk)) from.pause();
      });
      to.on('drain', () => {
        if (!isFrozen) from.resume();
      });
      from.on('close', () => {
        passing.delete(from);
        to.destroySoon();
      });
    }
    client.on('end', () => inner.end());
    inner.on('end', () => client.end());
  }

  const open = async () => {
    if (front.listening) return;
    front.listen(port, '127.0.0.1');
    await once(front, 'listening');
    port = (front.address() as AddressInfo).port;
  };
  await open();

  function close(): void {
    isFrozen = false;
    frozen = [];
    if (front.listening) front.close();
    for (const client of clients) client.destroy();
    clients.clear();
    for (const socket of served.values()) socket.destroy();
  }

  return {
    get port() {
      return port;
    },
    get connections() {
      return clients.size;
    },
    open,
    close,
    drain() {
      front.close();
      injector.drain(DRAIN_MS);
    },
    stop() {
      close();
      behind.close();
      injector.destroy();
      server.forceShutdown();
    },
    freeze() {
      isFrozen = true;
      for (const socket of passing) socket.pause();
    },
    thaw() {
      isFrozen = false;
      for (const pass of frozen.splice(0)) pass();
      for (const socket of passing) socket.resume();
    },
    disconnect(peer) {
      served.get(Number(peer.slice(peer.lastIndexOf(':') + 1)))?.destroy();
    },
  };
}
