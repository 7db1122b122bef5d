import { readFile } from 'node:fs/promises';
import { type HttpConnection, openHttp } from './httpConnection.ts';

/** Connections that each wait for a response. */
export interface IdlePolls {
  /** Number of polls answered. */
  answeredSoFar(): number;
  close(): void;
}

const CONNECTING_AT_ONCE = 256;
/** Connections per source address, below the number of its ports. */
const PER_SOURCE = 1000;

/** Number of sockets this process may still open, with a reserve. */
export async function socketBudget(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '');
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1];
  return soft === undefined ? 1000 : Number(soft) - 600;
}

/**
 * Opens `count` connections, from 127.0.0.2, 127.0.0.3, …, sends on each the result of `request`,
 * and leaves them waiting.
 */
export async function holdPolls(
  port: number,
  count: number,
  request: (index: number) => string,
): Promise<IdlePolls> {
  const connections: HttpConnection[] = [];
  let answered = 0;
  let closing = false;
  let next = 0;
  async function connectSome(): Promise<void> {
    while (next < count) {
      const index = next++;
      const connection = await openHttp({
        port,
        localAddress: `127.0.0.${2 + Math.floor(index / PER_SOURCE)}`,
      });
      connections.push(connection);
      const done = () => {
        if (!closing) answered += 1;
      };
      connection.send(request(index)).then(done, done);
    }
  }
  await Promise.all(Array.from({ length: CONNECTING_AT_ONCE }, connectSome));
  return {
    answeredSoFar: () => answered,
    close: () => {
      closing = true;
      for (const connection of connections) connection.close();
    },
  };
}
