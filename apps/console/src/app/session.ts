import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { accountQuery } from '../shared/account.ts';
import { answerOf, api } from '../shared/api/client.ts';
import { ApiProblem } from '../shared/api/problem.ts';

/** Called when the service no longer accepts the session. */
let onSignedOut: () => void = () => undefined;

/** @param leave shows the sign-in page */
export function whenSignedOut(leave: () => void): void {
  onSignedOut = leave;
}

const TRIES = 2;

/**
 * Ends the session on the page after any 401; the account's own query is exempt, it asks whether
 * there is a session.
 */
function leaveWhenOver(error: unknown): void {
  if (!(error instanceof ApiProblem) || error.status !== 401) return;
  queries.clear();
  onSignedOut();
}

/** Cache of API responses. */
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

/** True after the user chose to enter a development installation without signing in. */
export function usesOpenProfile(): boolean {
  return sessionStorage.getItem(OPEN) !== null;
}

export function enterOpenProfile(): void {
  sessionStorage.setItem(OPEN, 'yes');
}

/** Ends the session at the service and clears the cache. */
export async function signOut(): Promise<void> {
  sessionStorage.removeItem(OPEN);
  await answerOf(api.POST('/v3/admin/auth/logout', {}));
  queries.clear();
}

/** Account id of the development profile without sign-in. */
export const openAccountId = 'development';
