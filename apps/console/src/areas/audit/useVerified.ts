import { useQuery } from '@tanstack/react-query';
import { ApiProblem } from '../../shared/api/problem.ts';
import { read } from '../../shared/api/useRead.ts';
import { climb, isContinued, type PathStep, type SignedHead } from './merkle.ts';
import { type Signer, signerOf } from './treeKeys.ts';

/** Result of the verification in the browser. */
export type Verdict =
  | {
      readonly kind: 'verified' | 'wrongPath';
      readonly head: SignedHead;
      readonly leaf: string;
      readonly steps: readonly PathStep[];
    }
  | { readonly kind: Distrust | 'tooNew' };

/** Reason why a head is not believed. */
export type Distrust = Exclude<Signer, 'certified'>;

async function signedHead(signal: AbortSignal) {
  const head = await read('/v3/admin/audit/tree-head', {}, signal);
  const keys = await read('/v3/admin/audit/tree-keys', {}, signal);
  return { head, signer: await signerOf(head, keys) };
}

const isRefusal = (error: unknown, code: string) =>
  error instanceof ApiProblem && error.code === code;

async function verdictOf(eventId: string, signal: AbortSignal): Promise<Verdict> {
  try {
    const { head, signer } = await signedHead(signal);
    if (signer !== 'certified') return { kind: signer };
    const proof = await read(
      '/v3/admin/audit/proof/inclusion',
      { params: { query: { eventId, treeSize: head.treeSize } } },
      signal,
    );
    const steps = await climb({ ...proof, treeSize: head.treeSize });
    const reached = steps?.at(-1)?.hash ?? proof.leafHash;
    const kind = steps !== null && reached === head.rootHash ? 'verified' : 'wrongPath';
    return { kind, head, leaf: proof.leafHash, steps: steps ?? [] };
  } catch (error) {
    const isLater = ['AUDIT_EVENT_NOT_FOUND', 'TREE_HEAD_NOT_FOUND'].some((code) =>
      isRefusal(error, code),
    );
    if (isLater) return { kind: 'tooNew' };
    throw error;
  }
}

/** Requests and verifies the inclusion proof of an entry. */
export function useInclusion(eventId: string) {
  return useQuery({
    queryKey: ['/v3/admin/audit/proof/inclusion', eventId],
    queryFn: ({ signal }) => verdictOf(eventId, signal),
  });
}

const STORAGE_KEY = 'tamga.treeHead';

/** Last tree head verified by this browser; malformed storage counts as none. */
function lastSeen(): Pick<SignedHead, 'treeSize' | 'rootHash' | 'timestamp'> | null {
  const stored: unknown = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? 'null');
  const isHead = typeof stored === 'object' && stored !== null && 'treeSize' in stored;
  return isHead ? (stored as SignedHead) : null;
}

export interface Continuity {
  readonly kind: 'first' | 'same' | 'continued' | 'forked' | Distrust;
  readonly head: SignedHead;
  readonly seen: Pick<SignedHead, 'treeSize' | 'rootHash' | 'timestamp'> | null;
}

async function continuity(signal: AbortSignal): Promise<Continuity> {
  const { head, signer } = await signedHead(signal);
  const seen = lastSeen();
  if (signer !== 'certified') return { kind: signer, head, seen };
  if (seen === null || seen.treeSize === 0) return remembered({ kind: 'first', head, seen });
  const [first, second] = [seen.treeSize, head.treeSize];
  const isGrown = first < second;
  const { path } = isGrown
    ? await read(
        '/v3/admin/audit/proof/consistency',
        { params: { query: { first, second } } },
        signal,
      )
    : { path: [] };
  if (!(await isContinued(seen, head, path))) return { kind: 'forked', head, seen };
  return remembered({ kind: isGrown ? 'continued' : 'same', head, seen });
}

/** Stores only a verified head: a forked log is reported until somebody has investigated it. */
function remembered(found: Continuity): Continuity {
  localStorage.setItem(STORAGE_KEY, JSON.stringify(found.head));
  return found;
}

/** Reads the newest tree head and verifies that it continues the last one seen. */
export function useContinuity() {
  return useQuery({
    queryKey: ['/v3/admin/audit/tree-head', 'continuity'],
    queryFn: ({ signal }) => continuity(signal),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
