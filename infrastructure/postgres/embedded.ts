import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chown, mkdir, open, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { Misconfigured } from '../../application/ports/faults.ts';
import {
  type Binaries,
  postgresBinaries,
  reachableDirectory,
  serverUser,
  type ServerUser,
} from './binaries.ts';

/** An embedded PostgreSQL server: real binaries, its own data directory and port, fsync on. */
export interface EmbeddedServer {
  /** Connection URL of the `tamga` database. */
  readonly url: string;
  /** Connection URL of any database on this server. */
  urlOf(database: string): string;
  /** Creates a database and returns its connection URL. */
  createDatabase(name: string): Promise<string>;
  /** Current process id of the postmaster. @throws Error when it is not running */
  readonly pid: number;
  /** Fast shutdown: disconnects clients, everything committed is on disk. */
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Default: a free port. Ignored when a server already runs on `dataDir`. */
  readonly port?: number;
  /** Further `postgres` flags, for example `['-c', 'max_connections=200']`. */
  readonly flags?: readonly string[];
  /** Restart it when it dies; default true. */
  readonly keepAlive?: boolean;
  /** Programs where the development packages are not installed. */
  readonly otherwise?: Binaries | null;
}

/** Data of another major version of PostgreSQL, which its programs do not start on. */
export class OtherPostgres extends Misconfigured {
  override readonly name = 'OtherPostgres';
}

/** @throws OtherPostgres */
async function expectSameMajor({ postgres }: Binaries, dataDir: string): Promise<void> {
  const version = (await readFile(join(dataDir, 'PG_VERSION'), 'utf8')).trim();
  const [, program = ''] = /\) (\d+)/u.exec((await run(postgres, ['--version'])).stdout) ?? [];
  if (program === version) return;
  throw new OtherPostgres(`${dataDir} is of PostgreSQL ${version}, and the program is ${program}.`);
}

const run = promisify(execFile);

const USER = 'tamga';
const START_ATTEMPTS = 150;

/**
 * Starts PostgreSQL on `dataDir`, initialising it the first time. A server already running there is reused: one that
 * survived its parent's sudden death is taken over, one whose parent lives is borrowed and left running by `stop`. The
 * superuser's random password is stored beside the data, readable by the owner alone.
 *
 * @throws Error with the tail of the server's log when it does not come up within 30 s
 */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const user = await serverUser();
  const dataDir = await reachableDirectory(resolve(options.dataDir), user);
  const binaries = await postgresBinaries(user, options.otherwise);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if (user !== null) await chown(dataDir, user.uid, user.gid);
  const passwordFile = `${dataDir}.password`;
  const isNew = !existsSync(join(dataDir, 'PG_VERSION'));
  if (isNew) await initialise(binaries.initdb, dataDir, passwordFile, user);
  else await expectSameMajor(binaries, dataDir);
  const password = (await readFile(passwordFile, 'utf8')).trim();

  const survivor = await survivingServer(dataDir);
  const ownerFile = `${dataDir}.owner`;
  const owner = Number(await readFile(ownerFile, 'utf8').catch(() => '0'));
  const isBorrowed = survivor !== undefined && owner !== process.pid && owner > 0 && isAlive(owner);
  if (!isBorrowed) await writeFile(ownerFile, String(process.pid));
  const port = survivor?.port ?? options.port ?? (await freePort());
  const urlOf = (database: string) =>
    `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
  const logFile = `${dataDir}.log`;
  let child: ChildProcess | undefined;
  let stopping = false;

  async function launch(): Promise<void> {
    const log = await open(logFile, 'a');
    child = spawn(
      binaries.postgres,
      [
        ...['-D', dataDir, '-p', String(port)],
        ...['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
        ...(options.flags ?? []),
      ],
      { stdio: ['ignore', log.fd, log.fd], ...(user ?? {}) },
    );
    await log.close();
    child.once('exit', () => {
      if (!stopping && options.keepAlive !== false) void relaunch();
    });
    await untilReady();
  }

  /** Backends of a killed postmaster hold its shared memory for a moment: the first attempts may fail. */
  async function relaunch(): Promise<void> {
    await pause(200);
    if (!stopping) await launch().catch(() => undefined);
  }

  async function untilReady(): Promise<void> {
    for (let attempt = 0; attempt < START_ATTEMPTS; attempt += 1) {
      if (await answers(urlOf('postgres'))) return;
      if (child?.exitCode !== null && options.keepAlive === false) break;
      await pause(attempt < 50 ? 20 : 250);
    }
    const tail = (await readFile(logFile, 'utf8').catch(() => ''))
      .split('\n')
      .slice(-15)
      .join('\n');
    throw new Error(`PostgreSQL did not start on ${dataDir}. The end of its log:\n${tail}`);
  }

  async function createDatabase(name: string): Promise<string> {
    const client = new pg.Client({ connectionString: urlOf('postgres') });
    client.on('error', () => undefined);
    await client.connect();
    try {
      const found = await client.query('select from pg_database where datname = $1', [name]);
      if (found.rowCount === 0) {
        await client.query(`create database ${client.escapeIdentifier(name)}`);
      }
    } finally {
      await client.end();
    }
    return urlOf(name);
  }

  async function stop(): Promise<void> {
    stopping = true;
    if (isBorrowed) return;
    const running = await survivingServer(dataDir);
    if (running === undefined) return;
    process.kill(running.pid, 'SIGINT');
    while (isAlive(running.pid)) await pause(20);
  }

  if (survivor === undefined) await launch();
  await createDatabase('tamga');
  return {
    url: urlOf('tamga'),
    urlOf,
    createDatabase,
    get pid() {
      if (survivor !== undefined && child === undefined) return survivor.pid;
      if (child?.pid === undefined) throw new Error('The embedded PostgreSQL is not running.');
      return child.pid;
    },
    stop,
  };
}

async function initialise(
  initdb: string,
  dataDir: string,
  passwordFile: string,
  user: ServerUser | null,
): Promise<void> {
  await writeFile(passwordFile, `${randomBytes(24).toString('hex')}\n`, { mode: 0o600 });
  if (user !== null) await chown(passwordFile, user.uid, user.gid);
  const child = spawn(
    initdb,
    [
      ...[`--pgdata=${dataDir}`, `--username=${USER}`, `--pwfile=${passwordFile}`],
      ...['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C'],
    ],
    { stdio: ['ignore', 'ignore', 'pipe'], ...(user ?? {}) },
  );
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => (errors += chunk.toString('utf8')));
  const code = await new Promise<number | null>((done, failed) => {
    child.once('error', failed);
    child.once('close', done);
  });
  if (code === 0) return;
  await rm(passwordFile, { force: true });
  throw new Error(`PostgreSQL could not initialise ${dataDir}:\n${errors}`);
}

/** The postmaster still running on `dataDir`, by its pid file. */
export async function survivingServer(
  dataDir: string,
): Promise<{ readonly pid: number; readonly port: number } | undefined> {
  const lines = await readFile(join(dataDir, 'postmaster.pid'), 'utf8').catch(() => '');
  const [pid, , , port] = lines.split('\n').map(Number);
  if (!pid || !port || !isAlive(pid)) return undefined;
  return { pid, port };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('select 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

function freePort(): Promise<number> {
  return new Promise((done, failed) => {
    const probe = createServer();
    probe.on('error', failed);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = address !== null && typeof address === 'object' ? address.port : 0;
      probe.close(() => done(port));
    });
  });
}
