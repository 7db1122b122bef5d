import { readdir, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import {
  type EmbeddedServer,
  startEmbeddedPostgres,
  survivingServer,
} from '../../../infrastructure/postgres/embedded.ts';
import { serverDirectory } from '../installation/serverDirectory.ts';

let running: Promise<{ server: EmbeddedServer; directory: string }> | undefined;
let databases = 0;

/** The server ends with the run: nothing of it is read after a crash, or long enough for its tables to need care. */
const shortLived = ['fsync=off', 'full_page_writes=off', 'autovacuum=off'];

/** File system in memory: the thousand files of a database are made there in a tenth of the time. */
const MEMORY = '/dev/shm';
/** bytes; the databases of a whole run, and as much again. */
const MEMORY_WANTED = 12 * 2 ** 30;

/** Directory for the data of the server: in memory where there is plenty. */
async function place(): Promise<string> {
  if (process.availableMemory() < MEMORY_WANTED) return tmpdir();
  const room = await statfs(MEMORY).catch(() => ({ bavail: 0, bsize: 0 }));
  return room.bavail * room.bsize < MEMORY_WANTED ? tmpdir() : MEMORY;
}

/** ms. */
const HOUR = 3_600_000;

/** Removes what runs that were killed left behind: in memory, it would keep the place from those to come. */
async function removeAbandoned(parent: string): Promise<void> {
  const names = (await readdir(parent)).filter((name) => name.startsWith('tamga-test-'));
  for (const directory of names.map((name) => join(parent, name))) {
    const { mtimeMs } = await stat(directory);
    if (Date.now() - mtimeMs < HOUR) continue;
    if ((await survivingServer(join(directory, 'postgres'))) !== undefined) continue;
    await rm(directory, { recursive: true, force: true });
  }
}

async function start() {
  // Another run may remove them at the same time, and those of other users are theirs.
  await Promise.allSettled([tmpdir(), MEMORY].map(removeAbandoned));
  const directory = await serverDirectory('test', await place());
  // Proving a password takes both ends longer than all else of a connection, and tests open thousands.
  const trusting = join(directory, 'pg_hba.conf');
  await writeFile(trusting, 'host all all 127.0.0.1/32 trust\n');
  const server = await startEmbeddedPostgres({
    dataDir: join(directory, 'postgres'),
    flags: ['max_connections=800', `hba_file=${trusting}`, ...shortLived].flatMap((each) => [
      '-c',
      each,
    ]),
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
  making ??= connected(server);
  const [quoted, of] = [name, template].map((each) => pg.escapeIdentifier(each));
  await (await making).query(`create database ${quoted} template ${of} strategy file_copy`);
  return Object.assign(new URL(server), { pathname: name }).href;
}

/** Connection that makes databases, for as long as the process lives: making one takes less than connecting does. */
let making: Promise<pg.Client> | undefined;

async function connected(server: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server });
  client.on('error', () => (making = undefined));
  await client.connect();
  return client;
}

/** Stops the test server if one was started here, and leaves that of another process; called once at the end of the run. */
export async function stopTestServer(): Promise<void> {
  await (await making)?.end();
  making = undefined;
  if (running === undefined) return;
  const { server, directory } = await running;
  running = undefined;
  await server.stop();
  await rm(directory, { recursive: true, force: true });
}
