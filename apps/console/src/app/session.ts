import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiProblem } from '../shared/api/problem.ts';
import { leaveFor } from './visitor.ts';

const TRIES = 2;

/** Shows the sign-in after any 401: the session has ended. */
function leaveWhenOver(error: unknown): void {
  if (!(error instanceof ApiProblem) || error.status !== 401) return;
  leaveFor('/login', location.pathname + location.search, true);
}

/** Cache of API responses. */
export const queries = new QueryClient({
  queryCache: new QueryCache({ onError: leaveWhenOver }),
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
