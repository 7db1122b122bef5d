import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Context } from 'mocha';

const run = promisify(execFile);

/** Runs the OpenSSL command line; resolves with all it printed. @throws Error with `stderr` when it fails */
export async function openssl(...parameters: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run('openssl', parameters);
  return stdout + stderr;
}

/** Skips the tests of a suite, saying why, where OpenSSL is not installed. */
export async function skipWithoutOpenssl(suite: Context): Promise<void> {
  if ((await openssl('version').catch(() => null)) !== null) return;
  console.log('    openssl is missing (package openssl): skipped');
  suite.skip();
}

/** Standard error of a failed command. */
export function printedError(error: unknown): string {
  return String((error as { readonly stderr?: unknown }).stderr);
}
