import { setTimeout as pause } from 'node:timers/promises';
import { type ProcessName, processNames, type Release, type Scratch } from './scratch.ts';

/** Durations of a drill, ms. */
export interface Pace {
  /** A server is away, a process frozen, a disk full or a clock wrong for so long. */
  readonly lasts: number;
  /** A killed process is started again after this. */
  readonly dead: number;
  /** Load before a fault and after its end. */
  readonly around: number;
}

/** Releases of a drill. */
export interface Releases {
  readonly current: Release;
  /** Undefined where none is given: nothing is upgraded then. */
  readonly former?: Release;
}

/** Breaks the installation and mends it. */
export interface Fault {
  readonly name: string;
  /** Reason why it cannot be had here; null: it can. */
  readonly missing: (scratch: Scratch, releases: Releases) => string | null;
  readonly run: (scratch: Scratch, pace: Pace, releases: Releases) => Promise<void>;
}

const always = () => null;

const killed = (name: ProcessName): Fault => ({
  name: `${name} killed (kill -9) and started again`,
  missing: always,
  async run(scratch, { dead }, { current }) {
    await scratch.process(name).kill();
    await pause(dead);
    await scratch.replace(name, current);
  },
});

const frozen = (name: ProcessName): Fault => ({
  name: `${name} frozen (SIGSTOP)`,
  missing: always,
  async run(scratch, { lasts }) {
    const { pid } = scratch.process(name);
    process.kill(pid, 'SIGSTOP');
    try {
      await pause(lasts);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
    await scratch.process(name).untilReady();
  },
});

const ahead = (name: ProcessName): Fault => ({
  name: `Clock of ${name} 120 s ahead`,
  missing: always,
  async run(scratch, { lasts }) {
    await scratch.moveClock(name, 120);
    await pause(lasts);
    await scratch.moveClock(name, 0);
    await scratch.process(name).untilReady();
  },
});

const serversAway = {
  postgres: {
    name: 'PostgreSQL stopped at once and started again',
    missing: always,
    async run({ postgres }, { lasts }) {
      await postgres.crash();
      await pause(lasts);
      await postgres.start();
    },
  },
  redis: {
    name: 'Redis killed and started again, empty',
    missing: ({ redis }) => (typeof redis === 'string' ? redis : null),
    async run({ redis }, { lasts }) {
      if (typeof redis === 'string') throw new Error(redis);
      await redis.crash();
      await pause(lasts);
      await redis.start();
    },
  },
  disk: {
    name: 'Disk of PostgreSQL full',
    missing: ({ postgres: { disk } }) => (typeof disk === 'string' ? disk : null),
    async run({ postgres }, { lasts }) {
      const { disk } = postgres;
      if (typeof disk === 'string') throw new Error(disk);
      await disk.fill();
      await pause(lasts);
      await disk.makeRoom();
      // A server that could not write its own log has ended.
      await postgres.start();
    },
  },
} satisfies Readonly<Record<string, Fault>>;

async function restartAll(
  scratch: Scratch,
  release: Release,
  names: readonly ProcessName[] = processNames,
): Promise<void> {
  for (const name of names) await scratch.replace(name, release);
}

const isFormer = /\bformer\b/u;

const restarts = {
  restart: {
    name: 'rolling restart of all seven',
    missing: always,
    run: (scratch, _, { current }) => restartAll(scratch, current),
  },
  back: {
    name: 'way back to the former release, process by process',
    missing: withoutFormer,
    async run(scratch, _, { former }) {
      if (former === undefined) throw new Error('There is no former release.');
      await restartAll(scratch, former, [...processNames].reverse());
    },
  },
  upgrade: {
    name: 'rolling upgrade from the former release',
    missing: withoutFormer,
    async run(scratch, _, { current }) {
      await scratch.tamga(current, 'migrate');
      await restartAll(scratch, current);
      const status = await scratch.tamga(current, 'upgrade', 'status');
      if (isFormer.test(status)) throw new Error(status);
    },
  },
} satisfies Readonly<Record<string, Fault>>;

function withoutFormer(_: Scratch, { former }: Releases): string | null {
  return former === undefined ? 'no former build is given (--former)' : null;
}

/** Faults under load, in the order of a drill, by a name for command lines. */
export const faults = {
  'kill-api': killed('api1'),
  'kill-projector': killed('projector1'),
  'kill-worker': killed('worker1'),
  'kill-console': killed('console'),
  'freeze-projector': frozen('projector2'),
  'freeze-worker': frozen('worker2'),
  ...serversAway,
  clock: ahead('api1'),
  'clock-worker': ahead('worker1'),
  ...restarts,
} as const satisfies Readonly<Record<string, Fault>>;

export type FaultName = keyof typeof faults;
