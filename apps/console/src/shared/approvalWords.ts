import type { RowOf } from './api/useRead.ts';
import type { Tone } from './ui/parts.tsx';

export { approvalTexts } from '../../../../api/pages/words/approvalTexts.ts';

type Approval = RowOf<'/v3/admin/approvals'>;
export type ApprovalStatus = Approval['status'];

export const approvalTones: Readonly<Record<ApprovalStatus, Tone>> = {
  PENDING: 'waiting',
  APPROVED: 'info',
  REJECTED: 'neutral',
  EXECUTED: 'good',
  FAILED: 'bad',
  EXPIRED: 'neutral',
};
