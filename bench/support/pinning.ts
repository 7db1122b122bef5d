import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Core of the servers; the load uses the other one, like the measurements behind the targets. */
const SERVER_CORE = '0';
const LOAD_CORE = '1';

const isPossible = availableParallelism() > 1;

/** Command line pinned to the servers' core. */
export function onServerCore(program: string, parameters: readonly string[]): [string, string[]] {
  return isPossible
    ? ['taskset', ['-c', SERVER_CORE, program, ...parameters]]
    : [program, [...parameters]];
}

/** Command line pinned to the load's core. */
export function onLoadCore(program: string, parameters: readonly string[]): [string, string[]] {
  return isPossible
    ? ['taskset', ['-c', LOAD_CORE, program, ...parameters]]
    : [program, [...parameters]];
}

/** Moves a running process with all its threads to the servers' core. */
export async function pinToServerCore(pid: number): Promise<void> {
  if (isPossible) await run('taskset', ['-a', '-c', '-p', SERVER_CORE, String(pid)]);
}
