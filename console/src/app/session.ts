import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { accountQuery } from '../shared/account.ts';
import { answerOf, api } from '../shared/api/client.ts';
import { ApiProblem } from '../shared/api/problem.ts';

/** Told when the service no longer knows who asks. */
let onSignedOut: () => void = () => undefined;

/** @param leave shows the page to sign in */
export function whenSignedOut(leave: () => void): void {
  onSignedOut = leave;
}

const TRIES = 2;

/** A 401 anywhere ends the session on the page, too; who may sign in at all is asked by the account's own query. */
function leaveWhenOver(error: unknown): void {
  if (!(error instanceof ApiProblem) || error.status !== 401) return;
  queries.clear();
  onSignedOut();
}

/** What was read of the API. */
export const queries = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, { queryKey: [key] }) => {
      if (key !== accountQuery.queryKey[0]) leaveWhenOver(error);
    },
  }),
  mutationCache: new MutationCache({ onError: leaveWhenOver }),
  defaultOptions: {
    queries: {
      staleTime: 5000,
      retry: (failures, error) =>
        failures < TRIES && (!(error instanceof ApiProblem) || error.status >= 500),
      refetchOnWindowFocus: true,
    },
    mutations: { retry: false },
  },
});

const OPEN = 'tamga.open';

/** Whether somebody chose to use a development installation without signing in. */
export function usesOpenProfile(): boolean {
  return sessionStorage.getItem(OPEN) !== null;
}

export function enterOpenProfile(): void {
  sessionStorage.setItem(OPEN, 'yes');
}

/** Ends the session at the service and forgets what was read. */
export async function signOut(): Promise<void> {
  sessionStorage.removeItem(OPEN);
  await answerOf(api.POST('/v3/admin/auth/logout', {}));
  queries.clear();
}

/** An account without a session is the open development profile's. */
export const openAccountId = 'development';
