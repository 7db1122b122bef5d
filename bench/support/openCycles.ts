import { openLoop } from './load.ts';
import type { ServiceUser } from './serviceCycle.ts';

/** One session of an open loop; times are `performance.now()`. */
export interface OpenCycle {
  readonly sessionId: string;
  /** Start by the rate, whether or not a user was free. */
  readonly dueAt: number;
  readonly confirmSentAt: number;
  readonly answeredAt: number;
  readonly state: string;
}

/** Begins cycles at a fixed rate, each with a user that is free; one that finds none waits, and its time runs. */
export async function openCycles(
  users: readonly ServiceUser[],
  load: {
    readonly perSecond: number;
    readonly milliseconds: number;
    /** Longest wait of a poll, ms. */
    readonly pollTimeoutMs: number;
  },
): Promise<readonly OpenCycle[]> {
  const cycles: OpenCycle[] = [];
  const free = [...users];
  const waiting: ((user: ServiceUser) => void)[] = [];
  const take = () => {
    // In turn: the server ends a connection that is idle for long.
    const user = free.shift();
    if (user !== undefined) return Promise.resolve(user);
    return new Promise<ServiceUser>((resolve) => waiting.push(resolve));
  };
  const give = (user: ServiceUser) => {
    const next = waiting.shift();
    if (next === undefined) free.push(user);
    else next(user);
  };
  await openLoop(load.perSecond, load.milliseconds, async () => {
    const dueAt = performance.now();
    const user = await take();
    const { sessionId, answered } = await user.begin(load.pollTimeoutMs);
    const confirmSentAt = performance.now();
    await user.confirm(sessionId);
    const { at: answeredAt, state } = await answered;
    cycles.push({ sessionId, dueAt, confirmSentAt, answeredAt, state });
    give(user);
  });
  return cycles;
}
