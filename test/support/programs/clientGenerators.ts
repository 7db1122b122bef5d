import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { isInstalled } from '../../../main/cli/test.ts';
import { run } from './tools.ts';

/** A program in a directory below `.tamga`, or why it is not there. */
type Found = { readonly path: string } | string;

/** ms until a program is tried again that could not be installed. */
const TRIED_EVERY = 3_600_000;

/** Generator of C# clients, from NuGet. */
export async function kiota(): Promise<Found> {
  if (!isInstalled('dotnet')) return 'dotnet is missing (.NET SDK 10)';
  return installed('kiota-1.38.0', 'kiota', (directory) => [
    ...['dotnet', 'tool', 'install', 'Microsoft.OpenApi.Kiota', '--version', '1.38.0'],
    ...['--tool-path', directory],
  ]);
}

/** Generator of TypeScript clients with functions for operations, from npm. */
export function heyApi(): Promise<Found> {
  // It needs a compiler with an interface for programs.
  const packages = ['@hey-api/openapi-ts@0.99.0', 'typescript@5.9.3'];
  return installed('hey-api-0.99.0', 'node_modules/.bin/openapi-ts', (directory) => [
    ...['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline'],
    ...['--prefix', directory, ...packages],
  ]);
}

async function installed(
  name: string,
  program: string,
  command: (directory: string) => readonly string[],
): Promise<Found> {
  const directory = resolve('.tamga', 'generators', name);
  const path = join(directory, program);
  if ((await stat(path).catch(() => null)) !== null) return { path };
  const missing = `${directory}-missing`;
  const reason = `${name} cannot be installed from its registry`;
  const tried = await stat(missing).catch(() => null);
  if (tried !== null && Date.now() - tried.mtimeMs < TRIED_EVERY) return reason;
  // Moved when it is complete, so that a process that runs beside this one finds all of it or nothing.
  const coming = `${directory}-${process.pid}`;
  await mkdir(dirname(directory), { recursive: true });
  const [tool = '', ...parameters] = command(coming);
  if ((await run(tool, ...parameters)).code !== 0) {
    await rm(coming, { recursive: true, force: true });
    await writeFile(missing, '');
    return reason;
  }
  await rename(coming, directory).catch(() => rm(coming, { recursive: true, force: true }));
  return { path };
}
