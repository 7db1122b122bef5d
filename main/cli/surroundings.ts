import { readFileSync } from 'node:fs';

/** Variables of libpq that say who connects, not where to and how: usual where a URL must not hold the password. */
const credentials = ['PGPASSWORD', 'PGPASSFILE'];

/**
 * Sets what the machine would otherwise decide: local times are formatted with a zone of their own, never the machine's,
 * and SVC_DATABASE_URL alone says which database is meant and how it is reached.
 */
export function settleSurroundings(): void {
  process.env['TZ'] = 'UTC';
  const names = Object.keys(process.env).filter((name) => /^PG[A-Z]+$/u.test(name));
  for (const name of names)
    if (!credentials.includes(name)) Reflect.deleteProperty(process.env, name);
}

/** Exit code of what its reader no longer reads: that of a command killed by SIGPIPE. */
const READER_GONE = 141;

/**
 * Ends the process without complaint when nobody reads its output any more, as in `… | head`; one that ends at SIGTERM in
 * its own way is told by that.
 */
export function endWithReader(): void {
  let isGone = false;
  const onError = (error: NodeJS.ErrnoException): void => {
    if (error.code !== 'EPIPE') throw error;
    if (isGone) return;
    isGone = true;
    if (!process.emit('SIGTERM')) process.exit(READER_GONE);
  };
  for (const stream of [process.stdout, process.stderr]) stream.on('error', onError);
}

/** Lets nobody but the user of the process read what it writes, whatever the umask of its supervisor. */
export function keepFilesPrivate(): void {
  process.umask(0o077);
}

interface Surroundings {
  readonly environment: NodeJS.ProcessEnv;
  /** Switches of Node.js on the command line. */
  readonly switches: readonly string[];
}

/** Switches of Node.js that weaken the process, and what each costs. */
const weakening: readonly (readonly [pattern: RegExp, cost: string])[] = [
  [/^--insecure-http-parser$/u, 'accepts requests that proxies interpret differently'],
  [/^--tls-min-v1\.[01]$/u, 'allows versions of TLS that are broken'],
  [/^--openssl-legacy-provider$/u, 'accepts broken algorithms'],
  [/^--tls-keylog(?:=|$)/u, 'writes the keys of connections to a file'],
  [
    /^--inspect(?:-brk|-wait|-port)?(?:=|$)/u,
    'lets anyone who reaches its port read the master key',
  ],
];

/** Reasons why production is not started in these surroundings; each says what to change. */
export function unsafeSurroundings({ environment, switches }: Surroundings): readonly string[] {
  const options = [...switches, ...(environment['NODE_OPTIONS'] ?? '').split(/\s+/u)];
  const faults = options.flatMap((option) =>
    weakening
      .filter(([pattern]) => pattern.test(option))
      .map(([, cost]) => `${option} ${cost}: remove it from NODE_OPTIONS or the command line`),
  );
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    faults.push(
      'NODE_TLS_REJECT_UNAUTHORIZED turns off the verification of other servers: unset it, and name your own authority in NODE_EXTRA_CA_CERTS',
    );
  }
  return faults;
}

/** Open files that a process needs beside its connections: the database, the log, files, threads. */
const OTHER_FILES = 300;

/** Advice on the surroundings for operators. @param connections largest number of clients */
export function remarksOnSurroundings(
  { environment }: Pick<Surroundings, 'environment'>,
  connections: number,
  openFiles: number | null = openFileLimit(),
): readonly string[] {
  const remarks: string[] = [];
  if (openFiles !== null && openFiles < connections + OTHER_FILES) {
    remarks.push(
      `at most ${openFiles} files may be open, but SVC_MAX_CONNECTIONS is ${connections}: raise the limit (LimitNOFILE=) to ${connections + OTHER_FILES} or more`,
    );
  }
  const usesProxy = environment['NODE_USE_ENV_PROXY'] === '1';
  const { HTTPS_PROXY, https_proxy: lower } = environment;
  const proxy = HTTPS_PROXY ?? lower;
  if (usesProxy && proxy !== undefined) {
    remarks.push(
      'outgoing calls use the proxy of HTTPS_PROXY: name in NO_PROXY the hosts that must be reached directly',
    );
  }
  return remarks;
}

/** Soft limit of open files; null where the system does not say. */
function openFileLimit(): number | null {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    const [, soft] = /^Max open files\s+(\d+)/mu.exec(limits) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
