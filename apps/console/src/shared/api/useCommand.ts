import type { operations } from '#openapi';
import {
  type QueryClient,
  useMutation,
  type UseMutationResult,
  useQueryClient,
} from '@tanstack/react-query';
import { type ApiProblem, problemIn } from './problem.ts';

/** A command pending approval. */
export type PendingApproval =
  operations['admin.certificates.revoke']['responses'][202]['content']['application/json'];

/** Result of a command: executed, or pending approval (202). */
export type Outcome<Data> =
  | { readonly kind: 'done'; readonly data: Data }
  | { readonly kind: 'pending'; readonly approval: PendingApproval };

export interface Command<Input, Data> {
  /** Calls the API once; commands are never retried automatically. */
  readonly run: (
    input: Input,
  ) => Promise<{ readonly data?: Data; readonly error?: unknown; readonly response: Response }>;
  /** Paths, or prefixes, whose cached responses the command changes; they are read again. */
  readonly touches: readonly string[];
  /** Tells whether the read model shows the change; polled for up to five seconds. */
  readonly shown?: (input: Input, data: Data) => Promise<boolean>;
}

/** True for a command that is done, though the read model does not show it yet. */
function isShownLater(data: unknown): boolean {
  return (data as { readonly code?: unknown } | undefined)?.code === 'NOT_YET_SHOWN';
}

const SHOWN_WITHIN_MS = 5000;
const ASK_EVERY_MS = 250;

/**
 * Runs a command without optimistic updates: the page changes only after the response, and paths
 * the command touches are read again before `mutateAsync` resolves, unless that takes longer than
 * five seconds: what was done is told however the reads go.
 *
 * ```ts
 * const rename = useCommand({
 *   run: (name: string) => api.PATCH('/v3/admin/…/{id}', { params: { path: { id } }, body: { name } }),
 *   touches: ['/v3/admin/…'],
 * });
 * ```
 */
export function useCommand<Input, Data>({
  run,
  touches,
  shown,
}: Command<Input, Data>): UseMutationResult<
  Outcome<Exclude<Data, PendingApproval>>,
  ApiProblem,
  Input
> {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: async (input) => {
      const { data, error, response } = await run(input);
      if (!response.ok) throw problemIn(response, error);
      if (response.status === 202 && !isShownLater(data)) {
        // Not awaited: in a tab that is not looked at, a read that failed is only tried again later.
        void readAgain(queries, ['/v3/admin/approvals']);
        return { kind: 'pending', approval: data as PendingApproval };
      }
      const done = data as Exclude<Data, PendingApproval>;
      if (shown !== undefined) await until(() => shown(input, done));
      await Promise.race([readAgain(queries, touches), pause(SHOWN_WITHIN_MS)]);
      return { kind: 'done', data: done };
    },
  });
}

/** Reads all cached paths with this prefix again; resolves when those on the page are there. */
export async function readAgain(
  queries: QueryClient,
  beginnings: readonly string[],
): Promise<void> {
  await queries.invalidateQueries({
    predicate: ({ queryKey: [path] }) =>
      typeof path === 'string' && beginnings.some((beginning) => path.startsWith(beginning)),
  });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + SHOWN_WITHIN_MS;
  while (!(await holds()) && performance.now() < deadline) {
    await pause(ASK_EVERY_MS);
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
