import { useQuery } from '@tanstack/react-query';
import { ApiProblem } from '../../shared/api/problem.ts';
import { read } from '../../shared/api/useRead.ts';
import { climb, isContinued, isSigned, type PathStep, type SignedHead } from './merkle.ts';

/** Result of the verification in the browser. */
export type Verdict =
  | {
      readonly kind: 'verified' | 'wrongPath';
      readonly head: SignedHead;
      readonly leaf: string;
      readonly steps: readonly PathStep[];
    }
  | { readonly kind: 'wrongSignature' | 'tooNew' };

async function signedHead(signal: AbortSignal): Promise<SignedHead | null> {
  const [head, { keys }] = await Promise.all([
    read('/v3/admin/audit/tree-head', {}, signal),
    read('/v3/admin/audit/tree-keys', {}, signal),
  ]);
  const isGood = await isSigned(
    head,
    keys.map(({ publicKey }) => publicKey),
  );
  return isGood ? head : null;
}

const isRefusal = (error: unknown, code: string) =>
  error instanceof ApiProblem && error.code === code;

async function verdictOf(eventId: string, signal: AbortSignal): Promise<Verdict> {
  try {
    const head = await signedHead(signal);
    if (head === null) return { kind: 'wrongSignature' };
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
  readonly kind: 'first' | 'same' | 'continued' | 'forked' | 'wrongSignature';
  readonly head: SignedHead;
  readonly seen: Pick<SignedHead, 'treeSize' | 'rootHash' | 'timestamp'> | null;
}

async function continuity(signal: AbortSignal): Promise<Continuity> {
  const head = await read('/v3/admin/audit/tree-head', {}, signal);
  const { keys } = await read('/v3/admin/audit/tree-keys', {}, signal);
  const seen = lastSeen();
  const isGood = await isSigned(
    head,
    keys.map(({ publicKey }) => publicKey),
  );
  if (!isGood) return { kind: 'wrongSignature', head, seen };
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
