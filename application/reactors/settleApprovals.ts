import { isRefusal } from '../../domain/shared/refusal.ts';
import { AlreadyExecuted, type ExecuteDependencies, watched } from '../approval/executeApproved.ts';
import type { OpenApprovals } from '../approval/ports/approvalInbox.ts';
import { asReactor, type Reactor } from './reactor.ts';
import { createSweep, type SweepDependencies } from './sweep.ts';

export interface SettleApprovalsOptions
  extends ExecuteDependencies, Omit<SweepDependencies, 'everyMs'> {
  readonly open: OpenApprovals;
  /** Milliseconds between sweeps; default 1000. */
  readonly everyMs?: number;
}

const name = 'settleApprovals';

/** A requester who comes in the last moment may still be at it, ms. */
const GRACE_MS = 60_000;

/** Expires approvals that were not decided, or not collected, in time. */
export function createApprovalSettling(options: SettleApprovalsOptions): Reactor {
  const { approvals, open, clock, everyMs = 1000 } = options;

  async function settle(approvalId: string): Promise<void> {
    const { state, revision } = await approvals.load(approvalId);
    if (state.status === 'NONE') return;
    const { status, requested } = state;
    const now = clock.now();
    const grace = status === 'APPROVED' ? GRACE_MS : 0;
    if (now.getTime() < Date.parse(requested.expiresAt) + grace) return;
    const type = (await wasCollected(requested)) ? 'RecordExecution' : 'ExpireApproval';
    const command = { type, now: now.toISOString() } as const;
    const context = asReactor(name, approvalId);
    await approvals.handle(approvalId, command, context, { state, revision });
  }

  /** True when the process that returned the result ended before recording it. */
  async function wasCollected(requested: Parameters<typeof watched>[1]): Promise<boolean> {
    if (requested.execution === 'AT_ONCE') return false;
    try {
      await watched(options, requested).targets.look();
      return false;
    } catch (error) {
      if (error instanceof AlreadyExecuted) return true;
      if (isRefusal(error)) return false;
      throw error;
    }
  }

  const page = (limit: number, after: string | null) => open.overdue(clock.now(), limit, after);
  return createSweep(name, { page, each: settle }, { ...options, everyMs });
}
