import type { ApprovalEvent } from '../../domain/approval/events.ts';
import { executeApproved, type ExecuteDependencies } from '../approval/executeApproved.ts';
import { createRetryingReactor, type Reactor, type ReactorDependencies } from './reactor.ts';

export interface ApprovalExecutionOptions extends ReactorDependencies, ExecuteDependencies {}

/**
 * Executes each command once it is approved, except those whose requester collects the result. Skips ended approvals,
 * so a first start from the beginning of the log executes only pending ones.
 */
export function createApprovalExecution(options: ApprovalExecutionOptions): Reactor {
  return createRetryingReactor(
    'executeApprovedCommands',
    'approval',
    async ({ event }) => {
      const { type, data } = event as ApprovalEvent;
      if (type === 'ApprovalGranted') await executeApproved(options, data.approvalId, 'AT_ONCE');
    },
    options,
  );
}
