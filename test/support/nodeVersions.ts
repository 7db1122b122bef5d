import { execFile } from 'node:child_process';
import { access, cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A Node.js to run something with, or why there is none. */
export type NodeVersion =
  | { readonly major: number; readonly directory: string; readonly path: string }
  | { readonly major: number; readonly missing: string };

/** Where binaries of other versions are kept between runs. */
const cache = resolve('node_modules/.cache/node-versions');

/**
 * The Node.js of a major version: this process's own, one kept from an earlier run, or the newest from the package registry,
 * which publishes the binaries as packages.
 */
export async function nodeOf(major: number): Promise<NodeVersion> {
  const own = Number(process.versions.node.split('.')[0]);
  if (major === own) {
    return { major, directory: resolve(process.execPath, '..'), path: process.execPath };
  }
  const directory = join(cache, String(major));
  const path = join(directory, 'node');
  if (await exists(path)) return { major, directory, path };
  try {
    await download(major, path);
    return { major, directory, path };
  } catch (error) {
    return { major, missing: error instanceof Error ? (error.message.split('\n')[0] ?? '') : '' };
  }
}

async function download(major: number, path: string): Promise<void> {
  const name = `node-${process.platform}-${process.arch}`;
  const directory = await mkdtemp(join(tmpdir(), 'tamga-node-'));
  try {
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', directory];
    await run('npm', ['install', ...options, `${name}@${major}`], { timeout: 90_000 });
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
