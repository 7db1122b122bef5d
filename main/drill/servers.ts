import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, chmod, mkdir, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { debianBinaries } from '../../infrastructure/postgres/binaries.ts';
import { startEmbeddedPostgres, survivingServer } from '../../infrastructure/postgres/embedded.ts';
import { freePort } from './freePort.ts';

/** A server that a drill takes away and brings back. */
interface DrillServer {
  /** Ends it at once, without a shutdown. */
  crash(): Promise<void>;
  /** Starts it again on what it kept; nothing happens where it runs. */
  start(): Promise<void>;
}

export interface DrillRedis extends DrillServer {
  /** URL of a database that nobody else uses. */
  readonly url: string;
}

export interface DrillPostgres extends DrillServer {
  createDatabase(name: string): Promise<string>;
  /** Its disk; text: why it cannot be filled. */
  readonly disk: DrillDisk | string;
}

/** A file system of the server's own. */
export interface DrillDisk {
  /** Leaves no byte free. */
  fill(): Promise<void>;
  makeRoom(): Promise<void>;
}

/** Size of the disk, bytes: some minutes of load. */
const DISK_BYTES = 1.5 * 2 ** 30;

/** PostgreSQL below the directory, on a file system of its own where this process may mount one. */
export async function startDrillPostgres(
  directory: string,
): Promise<DrillPostgres & { stop(): Promise<void> }> {
  const place = join(directory, 'database');
  await mkdir(place);
  const disk = mountDisk(place);
  await chmod(place, 0o755);
  const dataDir = join(place, 'postgres');
  const port = await freePort();
  const launch = () =>
    startEmbeddedPostgres({
      dataDir,
      port,
      keepAlive: false,
      otherwise: debianBinaries(),
      flags: ['max_connections=300', 'max_wal_size=256MB'].flatMap((each) => ['-c', each]),
    });
  let server = await launch();
  return {
    createDatabase: (name) => server.createDatabase(name),
    disk,
    async crash() {
      // Immediate shutdown, which the next start recovers from.
      process.kill(server.pid, 'SIGQUIT');
      while ((await survivingServer(dataDir)) !== undefined) await pause(20);
    },
    async start() {
      if ((await survivingServer(dataDir)) === undefined) server = await launch();
    },
    async stop() {
      await server.stop();
      if (typeof disk !== 'string') execFileSync('umount', ['--lazy', place]);
    },
  };
}

function mountDisk(place: string): DrillDisk | string {
  if (process.getuid?.() !== 0) return 'only root can mount a disk to fill';
  try {
    const size = `size=${DISK_BYTES}`;
    execFileSync('mount', ['-t', 'tmpfs', '-o', size, 'tamga-drill', place], { stdio: 'ignore' });
  } catch {
    return 'this machine does not allow mounting a disk to fill';
  }
  const filling = join(place, 'filling');
  const pieces = [2 ** 24, 2 ** 16, 2 ** 12].map((bytes) => Buffer.alloc(bytes));
  return {
    async fill() {
      for (const piece of pieces) {
        for (let isFull = false; !isFull;) {
          isFull = await appendFile(filling, piece).then(
            () => false,
            () => true,
          );
        }
      }
    },
    makeRoom: () => rm(filling, { force: true }),
  };
}

/** Redis with nothing kept; text: why there is none. */
export async function startDrillRedis(): Promise<(DrillRedis & { stop(): void }) | string> {
  const port = await freePort();
  let child: ChildProcess | undefined;

  async function start(): Promise<void> {
    if (child !== undefined && child.exitCode === null && child.signalCode === null) return;
    const parameters = ['--port', String(port), '--bind', '127.0.0.1', '--save', ''];
    child = spawn('redis-server', parameters, { stdio: 'ignore', cwd: '/' });
    await once(child, 'spawn');
    while (!(await accepts(port))) await pause(20);
  }

  try {
    await start();
  } catch {
    return 'there is no redis-server on this machine';
  }
  return {
    url: `redis://127.0.0.1:${port}`,
    start,
    async crash() {
      const ended = child === undefined ? undefined : once(child, 'exit');
      child?.kill('SIGKILL');
      await ended;
    },
    stop: () => void child?.kill('SIGKILL'),
  };
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
