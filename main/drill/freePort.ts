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

/** True for a port that nobody listens on now. */
export async function isFree(port: number): Promise<boolean> {
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
