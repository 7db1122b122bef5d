import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { type AnswerOf, read } from './api/useRead.ts';

export type Account = AnswerOf<'/v3/admin/account'>;
export type Capability = Account['capabilities'][number];
export type Role = Account['role'];

/** Who is signed in. Its key is of no list, so that nothing reads it again by accident. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => read('/v3/admin/account', {}, signal),
  staleTime: 60_000,
  retry: false,
});

/** The account on a page only those signed in see. */
export function useAccount(): Account {
  return useSuspenseQuery(accountQuery).data;
}

/** Whether the account may; without a capability everybody may. */
export function may(account: Account, capability: Capability | undefined): boolean {
  return capability === undefined || account.capabilities.includes(capability);
}
