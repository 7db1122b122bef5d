import type { AskedApproval } from '../../domain/approval/approval.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { PersonalDataVault } from '../ports/personalDataVault.ts';
import { approvalTopic, type Wake } from '../ports/wake.ts';
import { assertEntitled, type ExecuteDependencies, watched } from './executeApproved.ts';
import { type ActingOperator, assertCapability } from './submitCommand.ts';
import { AlreadyExecuted } from './watchTargets.ts';

/** How long an approval is waited for to be carried out, ms. */
const PATIENCE_MS = 5000;

export interface DecideDependencies extends ExecuteDependencies {
  readonly vault: Pick<PersonalDataVault, 'isForgotten'>;
  readonly wake: Wake;
  /** Default {@link PATIENCE_MS}. */
  readonly patienceMs?: number;
}

/** Who decides about which approval. */
export interface Decider {
  readonly approvalId: string;
  readonly operator: ActingOperator;
  readonly context: CommandContext;
}

/**
 * Grants an approval and waits for its end. Whoever grants it again learns the same.
 *
 * @returns EXECUTED; FAILED with a code; APPROVED when it waits for its requester, or takes longer
 * @throws Refusal APPROVAL_NOT_FOUND, PERMISSION_DENIED, ErrSelfApproval, APPROVAL_DECIDED, APPROVAL_EXPIRED, APPROVAL_STALE
 */
export async function approve(
  dependencies: DecideDependencies,
  decider: Decider,
): Promise<AskedApproval> {
  const { approvals, clock } = dependencies;
  const { approvalId, operator, context } = decider;
  const asked = await decidable(dependencies, decider);
  if (asked.status === 'PENDING' && asked.requested.requestedBy !== operator.id) {
    await assertStillMeant(dependencies, asked, context);
  }
  const now = clock.now().toISOString();
  const command = { type: 'GrantApproval', by: operator.id, now } as const;
  const { state } = await approvals.handle(approvalId, command, context);
  const ended = await untilEnded(dependencies, expectAsked(state));
  if (ended.code === 'APPROVAL_STALE') throw new Refusal('APPROVAL_STALE');
  return ended;
}

/**
 * @param reason for the requester
 * @throws Refusal APPROVAL_NOT_FOUND, PERMISSION_DENIED, ErrSelfApproval, APPROVAL_DECIDED, APPROVAL_EXPIRED, APPROVAL_STALE
 */
export async function reject(
  dependencies: DecideDependencies,
  decider: Decider,
  reason: string,
): Promise<AskedApproval> {
  const { approvals, clock, vault } = dependencies;
  const { requested } = await decidable(dependencies, decider);
  // Nothing more is kept of a forgotten person.
  const { civilId } = requested;
  const isForgotten = civilId !== null && (await vault.isForgotten(civilId));
  const { approvalId, operator, context } = decider;
  const { state } = await approvals.handle(
    approvalId,
    {
      type: 'RejectApproval',
      by: operator.id,
      reason: isForgotten ? null : reason,
      now: clock.now().toISOString(),
    },
    context,
  );
  return expectAsked(state);
}

/** @throws Refusal APPROVAL_NOT_FOUND, PERMISSION_DENIED */
async function decidable(
  { approvals }: DecideDependencies,
  { approvalId, operator }: Decider,
): Promise<AskedApproval> {
  const asked = expectAsked((await approvals.load(approvalId)).state);
  assertCapability(operator, asked.requested.capability);
  return asked;
}

/** @throws Refusal APPROVAL_NOT_FOUND */
export function expectAsked(state: { readonly status: 'NONE' } | AskedApproval): AskedApproval {
  if (state.status === 'NONE') throw new Refusal('APPROVAL_NOT_FOUND');
  return state;
}

/**
 * What changed since it was asked for, or is no longer asked by anybody who may, can never be granted: it ends, unless
 * somebody has been faster to decide about it.
 *
 * @throws Refusal APPROVAL_STALE
 */
async function assertStillMeant(
  dependencies: DecideDependencies,
  { requested }: AskedApproval,
  context: CommandContext,
): Promise<void> {
  const { approvals, clock } = dependencies;
  try {
    await watched(dependencies, requested).targets.look();
    await assertEntitled(dependencies, requested.requestedBy, requested.capability);
  } catch (error) {
    if (error instanceof AlreadyExecuted) return;
    if (!isRefusal(error)) throw error;
    const failure = { type: 'FailUndecided', code: error.code } as const;
    const now = clock.now().toISOString();
    const { state } = await approvals.handle(requested.approvalId, { ...failure, now }, context);
    if (expectAsked(state).status !== 'FAILED') return;
    throw new Refusal('APPROVAL_STALE', {
      ...(error.code === 'PERMISSION_DENIED'
        ? { detail: 'Who asked for this may no longer do it.' }
        : {}),
      cause: error,
    });
  }
}

async function untilEnded(
  { approvals, wake, patienceMs = PATIENCE_MS }: DecideDependencies,
  granted: AskedApproval,
): Promise<AskedApproval> {
  const { approvalId, execution } = granted.requested;
  const deadline = performance.now() + patienceMs;
  let approval = granted;
  while (approval.status === 'APPROVED' && execution === 'AT_ONCE') {
    const left = deadline - performance.now();
    if (left <= 0) break;
    // Registered before reading: an end between the two wakes this listener.
    const listener = wake.listen(approvalTopic(approvalId));
    try {
      approval = expectAsked((await approvals.load(approvalId)).state);
      if (approval.status === 'APPROVED') await changedWithin(listener.changed, left);
    } finally {
      listener.cancel();
    }
  }
  return approval;
}

function changedWithin(changed: Promise<void>, milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    void changed.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
