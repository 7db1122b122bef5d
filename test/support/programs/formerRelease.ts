import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { transform } from 'esbuild';
import { built } from './tamgaProgram.ts';

const run = promisify(execFile);

/** Names the commit that stands for the former release until there is a tag `v…`. */
const NAMED = 'test/fixtures/formerRelease';

/** Paths that are no part of the program: tests, and what browsers are given. */
const besides =
  /^(test\/(?!bench\/)|(apps\/)?(console|site)\/|client\/examples\/)|\/web\/|\.d\.ts$/;

/** Places of the command line in a build: releases before folders were joined have the second. */
const programs = ['dist/main/cli/tamga.js', 'dist/cli/tamga.js'];

/** The former release: its command line and its sources, or why there is none. */
export type FormerRelease =
  | { readonly program: string; readonly sources: string; readonly release: string }
  | { readonly missing: string };

/**
 * Builds the newest tagged release from the history at hand, on the packages of this build; a build of before is used
 * again.
 */
export async function formerRelease(): Promise<FormerRelease> {
  const release = await newestTag().catch(async () => (await readFile(NAMED, 'utf8')).trim());
  let sha: string;
  try {
    sha = await git('rev-parse', '--verify', '--quiet', `${release}^{commit}`);
  } catch {
    return {
      missing: `The history at hand has no ${release}: fetch all of it (git fetch --unshallow).`,
    };
  }
  const directory = join(built, 'test-artefacts', `release-${sha.slice(0, 12)}`);
  if (!existsSync(directory)) await build(sha, directory);
  const program = programs.map((path) => join(directory, path)).find((path) => existsSync(path));
  if (program === undefined) throw new Error(`The build of ${release} has no command line.`);
  return { program, sources: directory, release };
}

const newestTag = () => git('describe', '--tags', '--abbrev=0', '--match', 'v*', 'HEAD^');

async function git(...parameters: readonly string[]): Promise<string> {
  return (await run('git', [...parameters])).stdout.trim();
}

async function build(sha: string, directory: string): Promise<void> {
  await mkdir(dirname(directory), { recursive: true });
  const place = await mkdtemp(`${directory}-`);
  const archive = join(place, 'sources.tar');
  await run('git', ['archive', '--format=tar', `--output=${archive}`, sha]);
  await run('tar', ['-xf', archive, '-C', place]);
  await symlink(resolve('node_modules'), join(place, 'node_modules'));
  const names = await git('ls-tree', '-r', '--name-only', sha);
  const files = names.split('\n').filter((name) => name.endsWith('.ts') && !besides.test(name));
  await Promise.all(files.map((file) => transpile(place, file)));
  // Its console has the pages of this build, which another tool makes.
  await symlink(join(built, 'console'), join(place, 'dist/console'));
  await rename(place, directory);
}

/** Takes the types away and leads imports to the files that are written. */
async function transpile(place: string, file: string): Promise<void> {
  const text = await readFile(join(place, file), 'utf8');
  const { code } = await transform(text, {
    loader: 'ts',
    format: 'esm',
    target: 'es2023',
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
  });
  const out = join(place, 'dist', file.replace(/\.ts$/u, '.js'));
  await mkdir(dirname(out), { recursive: true });
  await writeFile(out, code.replaceAll(/(["']\.{1,2}\/[^"'\n]+)\.ts(["'])/gu, '$1.js$2'));
}
