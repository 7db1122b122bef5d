import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import {
  type EmbeddedServer,
  startEmbeddedPostgres,
} from '../../../infrastructure/postgres/embedded.ts';
import { serverDirectory } from '../installation/serverDirectory.ts';

let running: Promise<{ server: EmbeddedServer; directory: string }> | undefined;
let databases = 0;

/** The server ends with the run: nothing of it is read after a crash, so nothing waits for disks. */
const notDurable = ['fsync=off', 'full_page_writes=off'];

async function start() {
  const directory = await serverDirectory('test');
  const server = await startEmbeddedPostgres({
    dataDir: join(directory, 'postgres'),
    flags: ['max_connections=800', ...notDurable].flatMap((each) => ['-c', each]),
  });
  return { server, directory };
}

/** The server of the process that started this one; see {@link shareTestServer}. */
const SHARED = 'TAMGA_TEST_SERVER';

async function testServer(): Promise<EmbeddedServer> {
  running ??= start();
  return (await running).server;
}

/** Starts the test server now, for this process and those it starts. */
export async function shareTestServer(): Promise<void> {
  process.env[SHARED] = (await testServer()).urlOf('postgres');
}

/**
 * A fresh database on the run's own PostgreSQL server, started on first use; returns its URL.
 *
 * @param template name of the database it is a copy of, which nobody may be connected to; omitted: it is empty
 */
export async function freshDatabase(template = 'template1'): Promise<string> {
  databases += 1;
  const name = `test_${process.pid}_${databases}`;
  const server = process.env[SHARED] ?? (await testServer()).urlOf('postgres');
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  try {
    const [quoted, of] = [name, template].map((each) => client.escapeIdentifier(each));
    await client.query(`create database ${quoted} template ${of}`);
  } finally {
    await client.end();
  }
  return Object.assign(new URL(server), { pathname: name }).href;
}

/** Stops the test server if one was started; called once at the end of the run. */
export async function stopTestServer(): Promise<void> {
  if (running === undefined) return;
  const { server, directory } = await running;
  running = undefined;
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
