import { execFile } from 'node:child_process';
import { access, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A Node.js to run something with, or why there is none. */
export type NodeVersion =
  { readonly directory: string; readonly path: string } | { readonly missing: string };

/** A major version, or the newest of all. */
export type WantedVersion = number | 'latest';

/** Cache of Node.js binaries between runs. */
const cache = resolve('node_modules/.cache/node-versions');

/**
 * The Node.js of a version: this process's own, one kept from an earlier run, or the newest of it from the package registry,
 * which publishes the binaries as packages.
 */
export async function nodeOf(wanted: WantedVersion): Promise<NodeVersion> {
  const own = Number(process.versions.node.split('.')[0]);
  if (wanted === own) return { directory: resolve(process.execPath, '..'), path: process.execPath };
  const directory = join(cache, String(wanted));
  const path = join(directory, 'node');
  if (await exists(path)) return { directory, path };
  try {
    await download(wanted, path);
    return { directory, path };
  } catch (error) {
    return { missing: error instanceof Error ? (error.message.split('\n')[0] ?? '') : '' };
  }
}

async function download(wanted: WantedVersion, path: string): Promise<void> {
  const name = `node-${process.platform}-${process.arch}`;
  const directory = await mkdtemp(join(tmpdir(), 'tamga-node-'));
  try {
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', directory];
    await run('npm', ['install', ...options, `${name}@${wanted}`], { timeout: 90_000 });
    await mkdir(resolve(path, '..'), { recursive: true });
    await cp(join(directory, 'node_modules', name, 'bin/node'), path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
