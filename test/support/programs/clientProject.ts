import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { packClient } from '../../../main/cli/clientPackage.ts';

const run = promisify(execFile);

/** A project outside of this one that has the packed library installed, and nothing else unless lent. */
export interface ClientProject {
  readonly directory: string;
  write(name: string, text: string): Promise<string>;
  /** Copies a file or folder of ours into it. */
  copy(path: string, name?: string): Promise<void>;
  /** Makes a package of ours visible to it: a type declaration, a web framework. */
  lend(name: string): Promise<void>;
  /** Compiles TypeScript files with each of {@link compilers}. @returns what they say; empty when they are content */
  compile(files: readonly string[], options?: readonly string[]): Promise<string>;
  remove(): Promise<void>;
}

/**
 * Installs the tarball into an empty project. Null, with the reason printed, where the package registry is out of reach.
 *
 * @param nodeDirectory where the `node` is that npm is to run on
 */
export async function createClientProject(
  tarball: string,
  nodeDirectory: string = dirname(process.execPath),
): Promise<ClientProject | null> {
  const directory = await mkdtemp(join(tmpdir(), 'tamga-client-'));
  await writeFile(join(directory, 'package.json'), '{"private":true,"type":"module"}\n');
  const remove = () => rm(directory, { recursive: true, force: true });
  try {
    await run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', tarball], {
      cwd: directory,
      env: { ...process.env, PATH: `${nodeDirectory}:${process.env['PATH'] ?? ''}` },
      timeout: 90_000,
    });
  } catch (error) {
    await remove();
    const code = /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENOTCACHED/.exec(
      String(error),
    );
    if (code === null) throw error;
    process.stdout.write(
      `npm installs nothing here (${code[0]}): tests of the packed library are skipped.\n`,
    );
    return null;
  }

  return {
    directory,
    write: async (name, text) => {
      const path = join(directory, name);
      await writeFile(path, text);
      return path;
    },
    copy: (path, name = basename(path)) => cp(path, join(directory, name), { recursive: true }),
    lend: async (name) => {
      const link = join(directory, 'node_modules', name);
      await mkdir(dirname(link), { recursive: true });
      await symlink(resolve('node_modules', name), link);
    },
    compile: async (files, options = []) => {
      let said = '';
      for (const compiler of compilers) {
        const program = resolve('node_modules', compiler, 'bin/tsc');
        try {
          const words = [program, ...compilerOptions, ...options, ...files];
          await run(process.execPath, words, { cwd: directory });
        } catch (error) {
          said += `${compiler}: ${String((error as { stdout?: unknown }).stdout)}`;
        }
      }
      return said;
    },
    remove,
  };
}

let packed: Promise<string> | undefined;

/** The tarball of the library, packed once a process: others that run beside it pack their own. */
export function packedClient(): Promise<string> {
  return (packed ??= pack());
}

function pack(): Promise<string> {
  const directory = resolve('dist/test-artefacts', `npm-${process.pid}`);
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  return packClient(directory);
}

/** Compilers that relying parties may have: ours and the newest. */
const compilers = ['typescript', 'typescript-newest'] as const;

/** Compiler options as strict as the library's own. */
const compilerOptions = [
  ...['--strict', '--noEmitOnError', '--target', 'es2022', '--module', 'nodenext'],
  ...['--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess', '--verbatimModuleSyntax'],
];

/** The complete programs of the library's README, by file name. */
export async function readmeExamples(
  path = 'client/README.md',
): Promise<ReadonlyMap<string, string>> {
  const readme = await readFile(path, 'utf8');
  const found = readme.matchAll(/<!-- example: (\S+) -->\s+```js\n([\s\S]*?)```/g);
  return new Map([...found].map(([, name = '', text = '']) => [name, text]));
}
