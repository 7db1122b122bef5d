import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const DEBIAN = '/usr/lib/postgresql';

/** Path of a PostgreSQL program: from PATH, or Debian's location; null when it is not installed. */
export function findProgram(name: 'pgbench' | 'psql'): string | null {
  try {
    return execFileSync('which', [name], { encoding: 'utf8' }).trim();
  } catch {
    const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort().reverse() : [];
    return (
      versions
        .map((version) => join(DEBIAN, version, 'bin', name))
        .find((path) => existsSync(path)) ?? null
    );
  }
}

export interface PgbenchOptions {
  readonly program: string;
  readonly url: string;
  /** Transaction in pgbench's script language. */
  readonly script: string;
  /** Directory for the script file. */
  readonly directory: string;
  readonly clients: number;
  /** Length of the run: seconds of the clock, or transactions of each client, which take what they take. */
  readonly length: { readonly seconds: number } | { readonly transactions: number };
  /** Search path, for example `message_store,public`. */
  readonly searchPath?: string;
}

/** Runs one pgbench and returns transactions per second, connections not counted. Prepared statements, no vacuum. */
export async function pgbench(options: PgbenchOptions): Promise<number> {
  const { length } = options;
  const file = join(options.directory, `pgbench-${process.pid}.sql`);
  await writeFile(file, options.script);
  const { stdout } = await run(
    options.program,
    [
      ...['-n', '-M', 'prepared', '-f', file],
      ...['-c', String(options.clients), '-j', String(Math.min(2, options.clients))],
      ...('seconds' in length
        ? ['-T', String(length.seconds)]
        : ['-t', String(length.transactions)]),
      options.url,
    ],
    {
      env: {
        ...process.env,
        ...(options.searchPath === undefined
          ? {}
          : { PGOPTIONS: `-c search_path=${options.searchPath}` }),
      },
    },
  );
  const rate = /^tps = ([0-9.]+)/m.exec(stdout)?.[1];
  if (rate === undefined) throw new Error(`pgbench printed no rate:\n${stdout}`);
  return Number(rate);
}
