import type { AppendDecision, Expectation, Proposal } from './storedEvents.ts';

/** State of a stream for the check of an append. */
export interface StreamState {
  readonly name: string;
  /** Revision of the last event, -1: none, `DELETED` behind a tombstone. */
  readonly current: bigint;
  readonly isSoftDeleted: boolean;
  readonly hasMetadata: boolean;
  /** Remembered place of that event id, in any stream. */
  recent(id: string): { readonly stream: string; readonly revision: bigint } | undefined;
  idAt(revision: bigint): string | undefined;
  /** Answer to an append whose events are stored already, ending at that revision. */
  repeated(revision: bigint): AppendDecision;
}

/** Revision behind a tombstone, and `$tb` of a soft-deleted stream. */
export const DELETED = 2n ** 63n - 1n;
export const NO_STREAM = -1n;

/** Judges an append as `IndexWriter.CheckCommit` does, in its order. */
export function checkCommit(
  state: StreamState,
  proposals: readonly Proposal[],
  expected: Expectation,
): AppendDecision | 'ok' {
  const { current, isSoftDeleted, hasMetadata } = state;
  if (current === DELETED) return { kind: 'streamDeleted' };
  if (expected === 'streamExists' && isSoftDeleted) return { kind: 'streamDeleted' };
  if (expected === 'streamExists' && current < 0n && !hasMetadata) return wrong(state);
  if (typeof expected === 'string' && expected !== 'noStream')
    return checkByMemory(state, proposals);
  const after = expected === 'noStream' ? NO_STREAM : expected;
  if (after > current) return wrong(state);
  return after === current ? 'ok' : checkByPlace(state, proposals, after);
}

/** Without a revision only the ids of recent events tell a repeated append. */
function checkByMemory(state: StreamState, proposals: readonly Proposal[]): AppendDecision | 'ok' {
  const stored = proposals
    .map(({ id }) => state.recent(id))
    .map((seen) => (seen?.stream === state.name ? seen.revision : undefined));
  if (stored[0] === undefined) return 'ok';
  const last = stored.includes(undefined) ? undefined : stored.at(-1);
  return last === undefined ? wrong(state) : state.repeated(last);
}

/** Behind the expected revision other events stand: those of this very append, or not. */
function checkByPlace(
  state: StreamState,
  proposals: readonly Proposal[],
  after: bigint,
): AppendDecision | 'ok' {
  const differing = proposals.findIndex(({ id }, at) => {
    const revision = after + 1n + BigInt(at);
    const recent = state.recent(id);
    const isRecent = recent?.stream === state.name && recent.revision === revision;
    return !isRecent && state.idAt(revision) !== id;
  });
  if (proposals.length === 0) return wrong(state);
  if (differing === -1) return state.repeated(after + BigInt(proposals.length));
  const isNewLife = differing === 0 && after === NO_STREAM && state.isSoftDeleted;
  return isNewLife ? 'ok' : wrong(state);
}

function wrong({ current }: StreamState): AppendDecision {
  return { kind: 'wrongExpectedVersion', current };
}
