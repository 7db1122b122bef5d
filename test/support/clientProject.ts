import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A project outside of this one that has the packed library installed, and nothing else unless lent. */
export interface ClientProject {
  readonly directory: string;
  write(name: string, text: string): Promise<string>;
  /** Makes a package of ours visible to it: a type declaration, a web framework. */
  lend(name: string): Promise<void>;
  /** Compiles TypeScript files. @returns what the compiler says; empty when it is content */
  compile(files: readonly string[], options?: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/**
 * Installs the tarball into an empty project.
 *
 * @param nodeDirectory where the `node` is that npm is to run on
 */
export async function createClientProject(
  tarball: string,
  nodeDirectory: string = dirname(process.execPath),
): Promise<ClientProject> {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-client-'));
  await writeFile(join(directory, 'package.json'), '{"private":true,"type":"module"}\n');
  await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball], {
    cwd: directory,
    env: { ...process.env, PATH: `${nodeDirectory}:${process.env['PATH'] ?? ''}` },
    timeout: 90_000,
  });

  return {
    directory,
    write: async (name, text) => {
      const path = join(directory, name);
      await writeFile(path, text);
      return path;
    },
    lend: async (name) => {
      const link = join(directory, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(resolve('node_modules', name), link);
    },
    compile: async (files, options = []) => {
      const compiler = resolve('node_modules/.bin/tsc');
      try {
        await run(compiler, [...compilerOptions, ...options, ...files], { cwd: directory });
        return '';
      } catch (error) {
        return String((error as { stdout?: unknown }).stdout);
      }
    },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

/** As strict as the library itself is compiled. */
const compilerOptions = [
  ...[
    '--strict',
    '--target',
    'es2022',
    '--lib',
    'es2023',
    '--module',
    'nodenext',
    '--types',
    'node',
  ],
  ...['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--verbatimModuleSyntax'],
];

/** The complete programs of the library's README, by file name. */
export async function readmeExamples(): Promise<ReadonlyMap<string, string>> {
  const readme = await readFile('client/README.md', 'utf8');
  const found = readme.matchAll(/<!-- example: (\S+) -->\s+```js\n([\s\S]*?)```/g);
  return new Map([...found].map(([, name = '', text = '']) => [name, text]));
}
