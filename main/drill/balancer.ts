import { once } from 'node:events';
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';

/** A balancer before processes of the service, as docs/setup.md has it: it asks for their health. */
export interface Balancer {
  readonly origin: string;
  /** Sends a process nothing more until it is waited for. Resolves once it has answered what was sent. */
  takeOut(origin: string): Promise<void>;
  /** Resolves once it sends requests to this process. */
  untilUp(origin: string): Promise<void>;
  stop(): Promise<void>;
}

/** Headers about the connection to a process, which is not that to the caller (RFC 9110 §7.6.1). */
const ofConnection = new Set(['connection', 'keep-alive']);
/** Interval between questions for health, ms. */
const CHECK_MS = 250;

/** Sends each request to the next process that is up; where no connection is made, to the one after. */
export async function startBalancer(origins: readonly string[]): Promise<Balancer> {
  const up = new Set<string>();
  const out = new Set<string>();
  /** Requests that are not answered yet, by process. */
  const sent = new Map(origins.map((origin) => [origin, new Set<Promise<void>>()]));
  let turn = 0;
  let isStopped = false;

  async function watch(origin: string): Promise<void> {
    while (!isStopped) {
      const signal = AbortSignal.timeout(2000);
      const { ok } = await fetch(`${origin}/readyz`, { signal }).catch(() => ({ ok: false }));
      if (ok && !out.has(origin)) up.add(origin);
      else up.delete(origin);
      await pause(CHECK_MS);
    }
  }

  /** Processes in turn: those that are up, or where none is, all that were not taken out. */
  function inTurn(): readonly string[] {
    turn += 1;
    const isUsable = (origin: string) => (up.size === 0 ? !out.has(origin) : up.has(origin));
    const usable = origins.filter(isUsable);
    const first = turn % usable.length;
    return [...usable.slice(first), ...usable.slice(0, first)];
  }

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await buffer(incoming);
    let code = 'ECONNREFUSED';
    for (const origin of inTurn()) {
      try {
        const passed = passOn(incoming, body, origin, outgoing);
        sent.get(origin)?.add(passed);
        await passed.finally(() => sent.get(origin)?.delete(passed));
        return;
      } catch (error) {
        code = (error as NodeJS.ErrnoException).code ?? String(error);
        if (code !== 'ECONNREFUSED') break;
        up.delete(origin);
      }
    }
    if (outgoing.headersSent) outgoing.destroy();
    else {
      outgoing.writeHead(502, { 'content-type': 'application/json' });
      outgoing.end(JSON.stringify({ code }));
    }
  }

  const server = createServer((incoming, outgoing) => {
    void serve(incoming, outgoing).catch(() => outgoing.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const watching = origins.map(watch);
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    takeOut: async (origin) => {
      out.add(origin);
      up.delete(origin);
      await Promise.allSettled(sent.get(origin) ?? new Set<Promise<void>>());
    },
    untilUp: async (origin) => {
      out.delete(origin);
      while (!up.has(origin)) await pause(10);
    },
    stop: async () => {
      isStopped = true;
      server.close();
      server.closeAllConnections();
      await Promise.all(watching);
    },
  };
}

/** @throws Error when there is no whole answer */
function passOn(
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  origin: string,
  outgoing: ServerResponse,
): Promise<void> {
  return new Promise((resolve, reject) => {
    // Each request has a connection of its own, so none is sent on one that its process closes.
    const asked = request(new URL(url ?? '/', origin), {
      method,
      headers: { ...headers, connection: 'close' },
      agent: false,
    });
    asked.once('error', reject);
    asked.once('response', (answer) => {
      const passed = Object.entries(answer.headers).filter(([name]) => !ofConnection.has(name));
      outgoing.writeHead(answer.statusCode ?? 502, Object.fromEntries(passed));
      answer.once('error', reject);
      answer.once('end', resolve);
      answer.pipe(outgoing);
    });
    outgoing.once('close', () => asked.destroy());
    asked.end(body);
  });
}
