import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ports that systems give to sockets asking for any (Linux from 32,768, IANA from 49,152). */
const FIRST = 20_000;
/** Ports of one process; those beside it take others. */
const SLICE = 500;

let taken = 0;

/**
 * A port nobody listens on now. Until the caller binds it, which can take seconds, nobody else is given it: sockets that
 * ask for any port are given higher ones, and other test processes take theirs from other slices.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + (process.pid % 24) * SLICE + (taken % SLICE);
    taken += 1;
    if (await isFree(port)) return port;
  }
}

const steady = new Map<string, number>();

/**
 * The port that services of this process listen on one after the other. Browsers keep what they compiled of a page by its
 * address.
 *
 * @param purpose services of different ones may run beside each other
 */
export async function steadyPort(purpose: string): Promise<number> {
  const known = steady.get(purpose);
  const port = known !== undefined && (await isFree(known)) ? known : await freePort();
  steady.set(purpose, port);
  return port;
}

async function isFree(port: number): Promise<boolean> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
  } catch {
    return false;
  }
  probe.close();
  await once(probe, 'close');
  return true;
}
