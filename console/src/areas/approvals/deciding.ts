import { type Account, type Capability, may, useAccount } from '../../shared/account.ts';
import { type RowOf, useRead } from '../../shared/api/useRead.ts';

export type Approval = RowOf<'/v3/admin/approvals'>;

/** How often the inbox is read again, ms. */
export const INBOX_EVERY_MS = 10_000;

/** Whether the operator may say yes or no: what the service checks, too. */
export function isDecidable(account: Account, approval: Approval): boolean {
  return (
    approval.status === 'PENDING' &&
    approval.requestedBy !== account.id &&
    may(account, approval.capability as Capability)
  );
}

/** What waits for a decision of the operator signed in. */
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

/** How many requests wait for the operator signed in. */
export function useInboxCount(): number | undefined {
  return useInbox().data?.total;
}
