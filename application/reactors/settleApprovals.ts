import { isRefusal } from '../../domain/shared/refusal.ts';
import { executeApproved, type ExecuteDependencies, watched } from '../approval/executeApproved.ts';
import { AlreadyExecuted } from '../approval/watchTargets.ts';
import type { OpenApprovals } from '../ports/approvalInbox.ts';
import { asReactor, type Reactor } from './reactor.ts';
import { createSweep, type SweepDependencies } from './sweep.ts';

export interface SettleApprovalsOptions
  extends ExecuteDependencies, Omit<SweepDependencies, 'everyMs'> {
  readonly open: OpenApprovals;
  /** Milliseconds between sweeps; default 200. */
  readonly everyMs?: number;
}

const name = 'settleApprovals';

/** A requester who comes in the last moment may still be at it, ms. */
const GRACE_MS = 60_000;

/**
 * Carries out what was granted and lets lapse what nobody decided about. One process at a time; whatever a crash
 * interrupted, the next sweep finds in the log and finishes.
 */
export function createApprovalSettling(options: SettleApprovalsOptions): Reactor {
  const { approvals, open, clock, everyMs = 200 } = options;

  async function settle(approvalId: string): Promise<void> {
    const { state } = await approvals.load(approvalId);
    if (state.status === 'NONE') return;
    const { status, requested } = state;
    if (status === 'APPROVED' && requested.execution === 'AT_ONCE') {
      await executeApproved(options, approvalId);
      return;
    }
    const now = clock.now();
    const grace = status === 'APPROVED' ? GRACE_MS : 0;
    if (now.getTime() < Date.parse(requested.expiresAt) + grace) return;
    const type = (await wasCollected(requested)) ? 'RecordExecution' : 'ExpireApproval';
    const command = { type, now: now.toISOString() } as const;
    await approvals.handle(approvalId, command, asReactor(name, approvalId));
  }

  /** Whether the process that handed the result out ended before it could say so. */
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

  const page = (limit: number, after: string | null) => open.due(clock.now(), limit, after);
  return createSweep(name, { page, each: settle }, { ...options, everyMs });
}
