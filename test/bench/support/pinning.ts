import { execFile } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { childrenOf } from './processorTime.ts';

const run = promisify(execFile);

/** Core of the servers; the load uses the other one, like the measurements behind the targets. */
const SERVER_CORE = '0';
const LOAD_CORE = '1';

const cores = availableParallelism();
const isPossible = cores > 1;

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

/** Moves this process, which makes the load, to the load's core. @returns lets it run on all cores again */
export async function pinLoad(): Promise<() => Promise<void>> {
  const pin = async (on: string) => {
    if (isPossible) await run('taskset', ['-a', '-c', '-p', on, String(process.pid)]);
  };
  await pin(LOAD_CORE);
  return () => pin(`0-${cores - 1}`);
}

/** Moves a running process, its children and all their threads to the load's core. */
export async function pinTreeToLoadCore(pid: number): Promise<void> {
  if (!isPossible) return;
  for (const each of [pid, ...(await childrenOf(pid))]) {
    await run('taskset', ['-a', '-c', '-p', LOAD_CORE, String(each)]).catch((cause: unknown) => {
      // A child may have ended since it was listed.
      if (each === pid) throw cause;
    });
  }
}
