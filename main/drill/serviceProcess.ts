import { type ChildProcess, spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';

/** The service as a process of its own, on one port through all its restarts. */
export interface ServiceProcess {
  readonly origin: string;
  /** @throws Error when it does not run */
  readonly pid: number;
  /** True once the process has ended, by itself or on request. */
  hasEnded(): boolean;
  /** Starts it; resolves at once. */
  launch(): void;
  /** Starts it and waits until `/readyz` answers 200. */
  start(): Promise<void>;
  /** Resolves when `/readyz` answers 200. */
  untilReady(): Promise<void>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** SIGTERM. @returns the exit code once it has ended, or the signal that ended it */
  stop(): Promise<number | NodeJS.Signals>;
  /** Output of the process. */
  output(): string;
}

export interface ServiceProcessOptions {
  /** Origin of its `/readyz`. */
  readonly origin: string;
  readonly environment: NodeJS.ProcessEnv;
  /** Path of the command line. */
  readonly program: string;
  /** Command of `tamga`, with its arguments. */
  readonly command: readonly string[];
  /** Further switches of Node.js. */
  readonly switches?: readonly string[];
}

/** Switches of `./tamga`; a large nursery from the start, as a start allocates much that stays. */
const usualSwitches = [
  '--disable-sigusr1',
  '--enable-source-maps',
  '--max-semi-space-size=64',
  '--min-semi-space-size=32',
];
/** Time a start may take, ms. */
const READY_MS = 60_000;
const alive = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of alive) child.kill('SIGKILL');
});

/** A process of the service, killed with this one; nothing runs before `launch` or `start`. */
export function serviceProcess(options: ServiceProcessOptions): ServiceProcess {
  const { origin, environment, program, command, switches = [] } = options;
  let child: ChildProcess | undefined;
  let ended: Promise<number | NodeJS.Signals> = Promise.resolve(0);
  let output = '';

  function launch(): void {
    const started = spawn(process.execPath, [...usualSwitches, ...switches, program, ...command], {
      env: environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    child = started;
    alive.add(started);
    for (const stream of [started.stdout, started.stderr]) {
      stream.on('data', (chunk: Buffer) => (output += chunk.toString('utf8')));
    }
    ended = new Promise((resolve) => {
      started.once('exit', (code, signal) => {
        alive.delete(started);
        resolve(code ?? signal ?? 0);
      });
    });
  }

  const hasEnded = () => child === undefined || !alive.has(child);

  /** Waiting for an answer of a process that is gone would only hide why. */
  async function untilReady(): Promise<void> {
    const deadline = performance.now() + READY_MS;
    for (;;) {
      if (hasEnded()) throw new Error(`The service ended.\n${output}`);
      const said = await fetch(`${origin}/readyz`, { signal: AbortSignal.timeout(5000) }).then(
        ({ status }) => status,
        String,
      );
      if (said === 200) return;
      if (performance.now() > deadline) throw new Error(`/readyz answers ${said}.\n${output}`);
      await pause(10);
    }
  }

  return {
    origin,
    get pid() {
      if (child?.pid === undefined || hasEnded()) throw new Error('The service does not run.');
      return child.pid;
    },
    hasEnded,
    launch,
    start: async () => {
      launch();
      await untilReady();
    },
    untilReady,
    kill: async () => {
      child?.kill('SIGKILL');
      await ended;
    },
    stop: () => {
      child?.kill('SIGTERM');
      return ended;
    },
    output: () => output,
  };
}
