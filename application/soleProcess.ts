import { NotReady } from './ports/faults.ts';
import { pause } from './ports/follow.ts';
import type { LeaderLock, LeaderRun } from './ports/leaderLock.ts';

export interface SoleProcessOptions {
  readonly leaderLock: LeaderLock;
  /** Time for a former process to end, ms; default 12 s, more than a stop takes. */
  readonly waitMs?: number;
}

/** Holds the claim that this is the only process of the installation (`SVC_SOLE_PROCESS`). */
export interface SoleProcess {
  /** @throws AnotherProcess when another one holds it */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** For `/readyz`: rejects with NotReady while the claim is lost. */
  check(): Promise<void>;
}

const conflict =
  'Another process runs with SVC_SOLE_PROCESS=true on this database. Stop it first, or set SVC_SOLE_PROCESS=false in both.';

/** Another process claims to be the only one. */
class AnotherProcess extends Error {
  override readonly name = 'AnotherProcess';

  constructor() {
    super(conflict);
  }
}

/** Interval at which the start looks for the lock, ms. */
const LOOK_MS = 20;

export function createSoleProcess({
  leaderLock,
  waitMs = 12_000,
}: SoleProcessOptions): SoleProcess {
  let run: LeaderRun | undefined;
  const forever = new AbortController().signal;

  return {
    async start() {
      run = leaderLock.runWhileHolding(
        'tamga-sole-process',
        (signal) =>
          new Promise((resolve) => {
            if (signal.aborted) resolve();
            else signal.addEventListener('abort', () => resolve(), { once: true });
          }),
      );
      const deadline = performance.now() + waitMs;
      while (!run.isActive()) {
        if (performance.now() > deadline) throw new AnotherProcess();
        await pause(LOOK_MS, forever);
      }
    },
    stop: async () => run?.stop(),
    check: () =>
      run?.isActive() === true ? Promise.resolve() : Promise.reject(new NotReady(conflict)),
  };
}
