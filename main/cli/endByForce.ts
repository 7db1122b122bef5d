import { spawn } from 'node:child_process';

/** Runs beside the process it ends: reads its standard input to learn that it has ended by itself. */
const watcher = `
  const [pid, ms] = process.argv.slice(1).map(Number);
  process.stdin.on('close', () => process.exit()).resume();
  setTimeout(() => process.kill(pid, 'SIGKILL'), ms);
`;

/**
 * Ends this process by SIGKILL after a time, unless it has ended by then. Only another process can: `process.exit` waits
 * for threads, and one in a system call to a hung volume, or in a token's module, never ends. A process 1 of a container
 * cannot be killed from within, so it needs an init (docs/operations.md, Containers).
 */
export function endByForceAfter(ms: number): void {
  const { execPath, pid } = process;
  const started = spawn(execPath, ['--disable-sigusr1', '-e', watcher, String(pid), String(ms)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: {},
  });
  // Without another process, as when memory is short, the supervisor's own deadline is left.
  started.on('error', () => undefined);
  started.stdin.on('error', () => undefined);
  started.unref();
  (started.stdin as unknown as { unref(): void }).unref();
}
