import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isInstalled } from '../../../main/cli/test.ts';
import { run } from './tools.ts';

/** A package of the Python package index, in an environment of its own below `.tamga`. */
interface PythonPackage {
  /** Pinned, such as `pyHanko==0.38.0`. */
  readonly requirement: string;
  /** Module that is there once it is installed. */
  readonly module: string;
}

const packages = {
  pyHanko: { requirement: 'pyHanko==0.38.0', module: 'pyhanko.sign.validation' },
  pkilint: { requirement: 'pkilint==0.13.3', module: 'pkilint' },
} satisfies Record<string, PythonPackage>;

/** ms until a package is tried again that could not be installed, which takes half a minute to find out. */
const TRIED_EVERY = 3_600_000;

/** An environment a package is installed in. */
export interface PythonEnvironment {
  /** Path of the interpreter. */
  readonly python: string;
  /** Path of a script of the package, for the interpreter: its first line names a directory that was moved since. */
  script(name: string): string;
}

/** The environment of a package, installed once a checkout; or why there is none. */
export async function pythonPackage(
  name: keyof typeof packages,
): Promise<PythonEnvironment | string> {
  const { requirement, module } = packages[name];
  const venv = join('.tamga', 'python', name);
  const at = (directory: string, file: string) => join(directory, 'bin', file);
  const environment = { python: at(venv, 'python'), script: (file: string) => at(venv, file) };
  const works = await run(environment.python, '-c', `import ${module}`);
  if (works.code === 0) return environment;
  if (!isInstalled('python3')) return 'python3 is missing (package python3-venv)';
  const missing = `${venv}-missing`;
  const notInstalled = `${requirement} cannot be installed from PyPI`;
  if (await isYoung(missing)) return notInstalled;
  // Moved when it is complete, so that a process that runs beside this one finds all of it or nothing.
  const coming = `${venv}-${process.pid}`;
  await run('python3', '-m', 'venv', coming);
  const pip = ['-m', 'pip', 'install', '--quiet', requirement];
  if ((await run(at(coming, 'python'), ...pip)).code !== 0) {
    await rm(coming, { recursive: true, force: true });
    await mkdir(dirname(missing), { recursive: true });
    await writeFile(missing, '');
    return notInstalled;
  }
  await rename(coming, venv).catch(() => rm(coming, { recursive: true, force: true }));
  return environment;
}

async function isYoung(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => null);
  return found !== null && Date.now() - found.mtimeMs < TRIED_EVERY;
}
