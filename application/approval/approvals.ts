import {
  type Approval,
  type ApprovalCommand,
  approvalDecider,
} from '../../domain/approval/approval.ts';
import type { ApprovalEvent } from '../../domain/approval/events.ts';
import { type Aggregate, type AggregateDependencies, createAggregate } from '../handleCommand.ts';

/** The approval aggregate bound to its store. */
export type Approvals = Aggregate<Approval, ApprovalCommand, ApprovalEvent>;

export function createApprovals(dependencies: AggregateDependencies<Approval>): Approvals {
  return createAggregate('approval', approvalDecider, dependencies);
}
