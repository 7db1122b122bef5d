import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { type AnswerOf, read } from './api/useRead.ts';

export type Account = AnswerOf<'/v3/admin/account'>;
export type Capability = Account['capabilities'][number];
export type Role = Account['role'];

/** Current account. Its query key belongs to no list, so that no command invalidates it. */
export const accountQuery = queryOptions({
  queryKey: ['account'],
  queryFn: ({ signal }) => read('/v3/admin/account', {}, signal),
  staleTime: 60_000,
  retry: false,
});

/** Account of the operator, on pages behind the sign-in. */
export function useAccount(): Account {
  return useSuspenseQuery(accountQuery).data;
}

/** True when the account has the capability; without one required always. */
export function may(account: Account, capability: Capability | undefined): boolean {
  return capability === undefined || account.capabilities.includes(capability);
}
