import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isInstalled } from '../../../main/cli/test.ts';
import { run } from './tools.ts';

const venv = '.tamga/pyhanko';
/** Written when it could not be installed, which takes half a minute to find out. */
const missing = '.tamga/pyhanko-missing';
/** ms until it is tried again. */
const TRIED_EVERY = 3_600_000;
const notInstalled = 'pyHanko cannot be installed from PyPI';

/** Python with pyHanko, installed once; or why there is none. */
export async function pyHanko(): Promise<{ readonly program: string } | string> {
  const program = join(venv, 'bin', 'python');
  const works = async () => (await run(program, '-c', 'import pyhanko.sign.validation')).code === 0;
  if (await works()) return { program };
  if (!isInstalled('python3')) return 'python3 is missing (package python3-venv)';
  if (await wasTried()) return notInstalled;
  // Moved when it is complete, so that a process that runs beside this one finds all of it or nothing.
  const coming = `${venv}-${process.pid}`;
  await run('python3', '-m', 'venv', coming);
  const python = join(coming, 'bin', 'python');
  await run(python, '-m', 'pip', 'install', '--quiet', 'pyHanko==0.38.0');
  await rename(coming, venv).catch(() => rm(coming, { recursive: true, force: true }));
  if (await works()) return { program };
  await mkdir('.tamga', { recursive: true });
  await writeFile(missing, '');
  return notInstalled;
}

async function wasTried(): Promise<boolean> {
  const tried = await stat(missing).catch(() => null);
  return tried !== null && Date.now() - tried.mtimeMs < TRIED_EVERY;
}
