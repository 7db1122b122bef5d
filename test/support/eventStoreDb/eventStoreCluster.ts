import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/**
 * EventStoreDB nodes that a test may break: node N is the N-th host of `SVC_EVENTSTORE_URL`, and `TAMGA_TEST_CLUSTER` the
 * command that breaks it.
 */
export interface EventStoreCluster {
  readonly url: string;
  /** Number of the node that leads, from 1; `null` while there is none. */
  leader(): Promise<number | null>;
  /** Resolves when a node other than `not` leads. @returns its number */
  untilLed(not?: number): Promise<number>;
  /** Number of a node that does not lead. */
  follower(): Promise<number>;
  /** Port of a node. */
  portOf(node: number): number;
  kill(node: number): Promise<void>;
  freeze(node: number): Promise<void>;
  thaw(node: number): Promise<void>;
  /** The leader gives its lead up. */
  resign(node: number): Promise<void>;
  start(node: number): Promise<void>;
  /** Starts what does not run; resolves when all nodes take part. */
  up(): Promise<void>;
}

/** Time limit of an election, ms. */
const ELECTION_MS = 60_000;
/** Time limit for a node to report its state, ms. */
const INFO_MS = 500;

/** The cluster the environment gives. @throws Error when it gives none */
export function givenCluster(): EventStoreCluster {
  const url = process.env['SVC_EVENTSTORE_URL'];
  const command = process.env['TAMGA_TEST_CLUSTER'];
  if (url === undefined || command === undefined) {
    throw new Error(
      'SVC_EVENTSTORE_URL and TAMGA_TEST_CLUSTER have to name the servers: `./tamga test --eventstore`.',
    );
  }
  const hosts = hostsOf(url);
  const scheme = /[?&]tls=false/i.test(url) ? 'http' : 'https';
  const run = async (verb: string, node?: number) => {
    await execute('/bin/sh', ['-c', `${command} ${verb} ${node ?? ''}`]);
  };
  const does = (verb: string) => (node: number) => run(verb, node);

  /** Asks the nodes themselves, all at once: one that is frozen holds up nobody. */
  async function leader(): Promise<number | null> {
    const states = await Promise.all(hosts.map((host) => stateOf(`${scheme}://${host}`)));
    const at = states.indexOf('leader');
    return at === -1 ? null : at + 1;
  }

  async function untilLed(not?: number): Promise<number> {
    for (const deadline = Date.now() + ELECTION_MS; Date.now() < deadline;) {
      const leading = await leader();
      if (leading !== null && leading !== not) return leading;
      await pause(20);
    }
    throw new Error(`No node leads after ${ELECTION_MS} ms.`);
  }

  return {
    url,
    leader,
    untilLed,
    follower: async () => ((await untilLed()) % hosts.length) + 1,
    portOf: (node) => Number(hosts[node - 1]?.split(':')[1]),
    kill: does('kill'),
    freeze: does('freeze'),
    thaw: does('thaw'),
    resign: does('resign'),
    start: does('start'),
    up: () => run('up'),
  };
}

async function stateOf(origin: string): Promise<unknown> {
  try {
    const answer = await fetch(`${origin}/info`, { signal: AbortSignal.timeout(INFO_MS) });
    return ((await answer.json()) as { readonly state?: unknown }).state;
  } catch {
    return null;
  }
}

/** A TCP connection of a process: the number of its socket, which no other ever has, and the server's port. */
export interface Connection {
  readonly socket: string;
  readonly port: number;
}

/** Connections of a process to the servers of a connection string. Linux only. */
export async function connectionsTo(url: string, pid: number): Promise<readonly Connection[]> {
  const ports = new Set(hostsOf(url).map((host) => Number(host.split(':')[1])));
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((name) => readFile(`/proc/${pid}/net/${name}`, 'utf8').catch(() => '')),
  );
  const portOf = new Map<string, number>(
    tables
      .flatMap((table) => table.split('\n').slice(1))
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , , state]) => state === ESTABLISHED)
      .map((columns) => {
        const [, , remote = ''] = columns;
        return [`socket:[${columns[9] ?? ''}]`, parseInt(remote.split(':')[1] ?? '', 16)] as const;
      }),
  );
  const open = await Promise.all(
    (await readdir(`/proc/${pid}/fd`)).map((fd) =>
      readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''),
    ),
  );
  return open.flatMap((socket) => {
    const port = portOf.get(socket);
    return port !== undefined && ports.has(port) ? [{ socket, port }] : [];
  });
}

/** Address in the form of /proc/net/tcp. */
const ESTABLISHED = '01';

function hostsOf(url: string): readonly string[] {
  return /:\/\/(?:[^@/]*@)?([^/?]+)/.exec(url)?.[1]?.split(',') ?? [];
}
