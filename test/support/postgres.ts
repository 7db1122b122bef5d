import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type EmbeddedServer,
  startEmbeddedPostgres,
} from '../../infrastructure/postgres/embedded.ts';
import { serverDirectory } from './serverDirectory.ts';

let running: Promise<{ server: EmbeddedServer; directory: string }> | undefined;
let databases = 0;

async function start() {
  const directory = await serverDirectory('test');
  const server = await startEmbeddedPostgres({
    dataDir: join(directory, 'postgres'),
    flags: ['-c', 'max_connections=200'],
  });
  return { server, directory };
}

/** The test run's own PostgreSQL server, started on first use. */
export async function testServer(): Promise<EmbeddedServer> {
  running ??= start();
  return (await running).server;
}

/** A fresh, empty database on the test server; returns its URL. */
export async function freshDatabase(): Promise<string> {
  const server = await testServer();
  databases += 1;
  return server.createDatabase(`test_${process.pid}_${databases}`);
}

/** Stops the test server if one was started; called once at the end of the run. */
export async function stopTestServer(): Promise<void> {
  if (running === undefined) return;
  const { server, directory } = await running;
  running = undefined;
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
