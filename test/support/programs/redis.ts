import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../assertions/eventually.ts';
import { freePort } from '../../../main/drill/freePort.ts';

export interface TestRedis {
  readonly url: string;
  /** Freezes the server: connections stay, nothing is answered. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

/**
 * A Redis server of the test's own, or `null` where there is no `redis-server`.
 *
 * @param settings of the server, as on its command line
 */
export async function startRedis(settings: readonly string[] = []): Promise<TestRedis | null> {
  const port = await freePort();
  const directory = await mkdtemp(join(tmpdir(), 'tamga-redis-'));
  const server = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--dir', directory, '--save', '', ...settings],
    { stdio: 'ignore' },
  );
  if (!(await isSpawned(server))) {
    await rm(directory, { recursive: true });
    return null;
  }
  await eventually(() => canConnect(port));
  return {
    url: `redis://127.0.0.1:${port}`,
    freeze: () => server.kill('SIGSTOP'),
    thaw: () => server.kill('SIGCONT'),
    async stop() {
      const exited = once(server, 'exit');
      server.kill('SIGKILL');
      await exited;
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function isSpawned(server: ChildProcess): Promise<boolean> {
  return new Promise((resolve) => {
    server.once('spawn', () => resolve(true));
    server.once('error', () => resolve(false));
  });
}

async function canConnect(port: number): Promise<void> {
  const socket = createConnection(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.destroy();
}
