import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** A server in a process of its own, controlled over the channel between parent and child. */
export interface ChildServer {
  readonly port: number;
  readonly pid: number;
  /** Sends the child a question, answered by {@link serveChild}'s handlers. */
  ask<Answer>(question: string, argument?: unknown): Promise<Answer>;
  stop(): Promise<void>;
  /** Kills it (SIGKILL). */
  kill(): Promise<void>;
}

interface Question {
  readonly id: number;
  readonly question: string;
  readonly argument?: unknown;
}

type FromChild =
  | { readonly port: number }
  | { readonly id: number; readonly answer?: unknown; readonly failed?: string };

export interface ChildOptions {
  /** Compiled module, relative to the caller: `new URL('../peers/x.js', import.meta.url)`. */
  readonly module: URL;
  /** Passed to the child's {@link serveChild}. */
  readonly settings: unknown;
  readonly env?: Readonly<Record<string, string>>;
  readonly execArgv?: readonly string[];
}

/** Starts a server process and waits until it listens. Its standard error is inherited. */
export async function startChildServer(options: ChildOptions): Promise<ChildServer> {
  const profile = process.env['BENCH_CPU_PROF'];
  const child = fork(fileURLToPath(options.module), [JSON.stringify(options.settings)], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: { ...process.env, ...options.env },
    execArgv: [
      '--expose-gc',
      // Same option as the launcher.
      '--max-semi-space-size=64',
      ...(profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`]),
      ...(options.execArgv ?? []),
    ],
  });
  const asked = new Map<number, { resolve: (v: unknown) => void; reject: (e: Error) => void }>();
  let questions = 0;
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const port = await new Promise<number>((resolve, reject) => {
    void exited.then((code) => reject(new Error(`The server process ended (${String(code)}).`)));
    child.on('message', (message: FromChild) => {
      if ('port' in message) {
        resolve(message.port);
        return;
      }
      const waiting = asked.get(message.id);
      asked.delete(message.id);
      if (message.failed === undefined) waiting?.resolve(message.answer);
      else waiting?.reject(new Error(message.failed));
    });
  });
  void exited.then((code) => {
    for (const { reject } of asked.values()) {
      reject(new Error(`The server process ended (${String(code)}).`));
    }
  });

  return {
    port,
    pid: child.pid ?? 0,
    ask: <Answer>(question: string, argument?: unknown) =>
      new Promise<Answer>((resolve, reject) => {
        questions += 1;
        asked.set(questions, { resolve: resolve as (value: unknown) => void, reject });
        child.send({ id: questions, question, argument } satisfies Question);
      }),
    stop: async () => {
      if (child.connected) child.send({ id: 0, question: 'stop' } satisfies Question);
      await exited;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

/** Additional questions and their handlers, besides `stop`, `memory` and `cpu`. */
export type Answers = Readonly<Record<string, (argument: unknown) => unknown>>;

/** Memory of the process in bytes, after a full garbage collection. */
export interface MemoryAnswer {
  readonly rss: number;
  readonly heapUsed: number;
}

/**
 * Child side: starts the server with the parent's settings, reports the port and answers questions
 * until `stop`.
 */
export async function serveChild<Settings>(
  start: (settings: Settings) => Promise<{
    readonly port: number;
    readonly answers?: Answers;
    stop(): Promise<void>;
  }>,
): Promise<void> {
  const server = await start(JSON.parse(process.argv[2] ?? 'null') as Settings);
  process.on('disconnect', () => process.exit(1));
  process.on('message', (message: Question) => {
    void (async () => {
      const { id, question, argument } = message;
      if (question === 'stop') {
        await server.stop();
        process.exit(0);
      }
      try {
        process.send?.({ id, answer: await answer(server.answers ?? {}, question, argument) });
      } catch (error) {
        process.send?.({ id, failed: String(error) });
      }
    })();
  });
  process.send?.({ port: server.port });
}

async function answer(answers: Answers, question: string, argument: unknown): Promise<unknown> {
  if (question === 'memory') {
    global.gc?.();
    await new Promise((resolve) => setTimeout(resolve, 200));
    global.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    return { rss, heapUsed } satisfies MemoryAnswer;
  }
  // Processor time used so far, µs.
  if (question === 'cpu') {
    const { user, system } = process.cpuUsage();
    return user + system;
  }
  const handler = answers[question];
  if (handler === undefined) throw new Error(`No handler for question ${question}.`);
  return handler(argument);
}
