import { type Account, type Capability, may, useAccount } from '../../shared/account.ts';
import { type RowOf, useRead } from '../../shared/api/useRead.ts';

export type Approval = RowOf<'/v3/admin/approvals'>;

/** Polling interval of the inbox, ms. */
export const INBOX_EVERY_MS = 10_000;

/** True when the operator may decide the approval; the service checks the same. */
export function isDecidable(account: Account, approval: Approval): boolean {
  return (
    approval.status === 'PENDING' &&
    approval.requestedBy !== account.id &&
    may(account, approval.capability as Capability)
  );
}

/** Approvals that wait for the current operator's decision. */
export function useInbox() {
  const account = useAccount();
  const pending = useRead(
    '/v3/admin/approvals',
    { params: { query: { status: 'PENDING', limit: 200 } } },
    { every: INBOX_EVERY_MS },
  );
  const items = pending.data?.items.filter((approval) => isDecidable(account, approval));
  return {
    ...pending,
    data: items === undefined ? undefined : { items, total: items.length },
  };
}

/** Number of approvals that wait for the current operator. */
export function useInboxCount(): number | undefined {
  return useInbox().data?.total;
}
