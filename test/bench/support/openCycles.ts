import { openLoop } from '../../../main/drill/openLoop.ts';
import type { ServiceUser } from './serviceCycle.ts';
import { takeInTurn } from './takeInTurn.ts';

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
  const turns = takeInTurn(users);
  await openLoop(load.perSecond, load.milliseconds, async () => {
    const dueAt = performance.now();
    const user = await turns.take();
    const { sessionId, answered } = await user.begin(load.pollTimeoutMs);
    const confirmSentAt = performance.now();
    await user.confirm(sessionId);
    const { at: answeredAt, state } = await answered;
    cycles.push({ sessionId, dueAt, confirmSentAt, answeredAt, state });
    turns.give(user);
  });
  return cycles;
}
