import { type Account, type Capability, may } from '../../shared/account.ts';
import type { Approval } from '../../shared/approvals.tsx';

/** True when the operator may decide the approval; the service checks the same. */
export function isDecidable(
  account: Account,
  approval: Pick<Approval, 'status' | 'requestedBy' | 'capability'>,
): boolean {
  return (
    approval.status === 'PENDING' &&
    approval.requestedBy !== account.id &&
    may(account, approval.capability as Capability)
  );
}
