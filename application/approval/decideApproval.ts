import type { AskedApproval } from '../../domain/approval/approval.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext, Loaded } from '../handleCommand.ts';
import { Unavailable } from '../ports/faults.ts';
import type { PersonalDataVault } from '../ports/personalDataVault.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import { type Notifications } from '../ports/notifications.ts';
import {
  AlreadyExecuted,
  assertEntitled,
  type ExecuteDependencies,
  watched,
} from './executeApproved.ts';
import { type ActingOperator, assertCapability } from './operations.ts';
import type { OperatorEvent } from '../../domain/operator/events.ts';
import { BREAK_GLASS, DEVELOPMENT } from '../../domain/shared/operatorIdentities.ts';
import { approvalTopic, streamOf } from '../../domain/shared/streams.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/eventStore.ts';
import { allOperators } from '../operator/operators.ts';

/** Days after which an operator counts as independent of who added, reset or raised them. */
const INDEPENDENT_AFTER_DAYS = 30;

/** Operators by the operator who lately added them, reset their credentials or changed their role. */
type Dependants = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * Refuses an approval by an operator who may be the requester: dual control needs two people. An operator who adds
 * another or resets their credentials can sign in as them, and transitively as everybody those add. Any operator may be
 * the holder of the break-glass key: accounts that the key added, reset or raised depend on everybody. Changes by the
 * command line, the seeding of the first operator and the development profile do not count, which is how an
 * installation starts.
 *
 * @param one the requester, or who approved before
 * @throws Refusal PERMISSION_DENIED for the break-glass key, APPROVER_NOT_INDEPENDENT
 */
export async function assertIndependent(
  { eventStore, clock }: { readonly eventStore: Pick<EventStore, 'read'>; readonly clock: Clock },
  one: string,
  approver: string,
): Promise<void> {
  if (approver === BREAK_GLASS) {
    throw new Refusal('PERMISSION_DENIED', {
      detail:
        'The break-glass key belongs to no person, so it cannot approve. Sign in as an operator.',
    });
  }
  const since = clock.now().getTime() - INDEPENDENT_AFTER_DAYS * 86_400_000;
  const dependants = await readDependants(eventStore, since);
  const ofTheKey = dependantsOf(dependants, BREAK_GLASS);
  if (ofTheKey.has(one) || ofTheKey.has(approver)) {
    throw new Refusal('APPROVER_NOT_INDEPENDENT', {
      detail: `One of you was added, reset or promoted with the break-glass key within the last ${INDEPENDENT_AFTER_DAYS} days, directly or through others, and may hold that key. An independent operator must decide. If there is none, add operators on the machine with ./tamga admin add.`,
    });
  }
  const isDependent =
    dependantsOf(dependants, one).has(approver) || dependantsOf(dependants, approver).has(one);
  if (isDependent) throw new Refusal('APPROVER_NOT_INDEPENDENT');
}

async function readDependants(
  eventStore: Pick<EventStore, 'read'>,
  since: number,
): Promise<Dependants> {
  const dependants = new Map<string, Set<string>>();
  for await (const { event, metadata } of eventStore.read(streamOf('operators', allOperators))) {
    const { kind, id } = metadata.actor;
    const isBySomebody = kind === 'operator' && id !== DEVELOPMENT;
    if (!isBySomebody || Date.parse(metadata.time) < since) continue;
    if (!givesAccess(event as OperatorEvent)) continue;
    const { operatorId } = (event as OperatorEvent).data;
    dependants.set(id, (dependants.get(id) ?? new Set()).add(operatorId));
  }
  return dependants;
}

/** True for events by which another operator sets an operator's credentials or role. */
function givesAccess(event: OperatorEvent): boolean {
  switch (event.type) {
    case 'OperatorAdded':
    case 'OperatorRoleChanged':
    case 'SecondFactorReset':
      return true;
    case 'PasswordChanged':
      return event.data.mustChangePassword;
    default:
      return false;
  }
}

/** Everybody who depends on this operator, also through others. */
function dependantsOf(dependants: Dependants, from: string): ReadonlySet<string> {
  const reached = new Set([from]);
  // A set yields what is added while it is iterated.
  for (const operator of reached) {
    for (const dependant of dependants.get(operator) ?? []) reached.add(dependant);
  }
  reached.delete(from);
  return reached;
}

/** Timeout for the execution of an approval, ms. */
const EXECUTION_TIMEOUT_MS = 5000;

export interface DecideDependencies extends ExecuteDependencies {
  readonly vault: Pick<PersonalDataVault, 'isForgotten'>;
  readonly notifications: Notifications;
  readonly progress: ProjectionProgress;
  /** Default {@link EXECUTION_TIMEOUT_MS}. */
  readonly timeoutMs?: number;
}

/** Deciding operator, and the approval. */
export interface Decider {
  readonly approvalId: string;
  readonly operator: ActingOperator;
  readonly context: CommandContext;
}

/**
 * Grants an approval and waits for its execution. Granting it again returns the same.
 *
 * @returns EXECUTED; FAILED with a code; APPROVED when its requester must collect the result, or on timeout; PENDING when
 * another operator must approve, too
 * @throws Refusal APPROVAL_NOT_FOUND, PERMISSION_DENIED, ErrSelfApproval, APPROVER_NOT_INDEPENDENT, APPROVAL_DECIDED,
 * APPROVAL_EXPIRED, APPROVAL_STALE
 */
export async function approve(
  dependencies: DecideDependencies,
  decider: Decider,
): Promise<AskedApproval> {
  const { approvals, notifications, timeoutMs = EXECUTION_TIMEOUT_MS } = dependencies;
  const { approvalId } = decider;
  // Registered before each read: a change after the read notifies this listener.
  let listener = notifications.listen(approvalTopic(approvalId));
  try {
    let approval = await grant(dependencies, decider);
    const deadline = performance.now() + timeoutMs;
    while (isBeingExecuted(approval) && performance.now() < deadline) {
      await changedBefore(deadline, listener.changed);
      listener.cancel();
      listener = notifications.listen(approvalTopic(approvalId));
      approval = expectAsked((await approvals.load(approvalId)).state);
      if (!isBeingExecuted(approval)) await untilShown(dependencies, deadline);
    }
    if (approval.code === 'APPROVAL_STALE') throw new Refusal('APPROVAL_STALE');
    return approval;
  } finally {
    listener.cancel();
  }
}

async function grant(dependencies: DecideDependencies, decider: Decider): Promise<AskedApproval> {
  const { approvals, clock } = dependencies;
  const { approvalId, operator, context } = decider;
  const known = await decidable(dependencies, decider);
  const { status, requested, endorsement } = known.state;
  if (status === 'PENDING' && requested.requestedBy !== operator.id) {
    await assertIndependent(dependencies, requested.requestedBy, operator.id);
    if (endorsement !== null) await assertIndependent(dependencies, endorsement.by, operator.id);
    await assertStillMeant(dependencies, known, context);
  }
  const now = clock.now().toISOString();
  const command = { type: 'GrantApproval', by: operator.id, now } as const;
  const { state } = await approvals.handle(approvalId, command, context, known);
  return expectAsked(state);
}

function isBeingExecuted({ status, requested }: AskedApproval): boolean {
  return status === 'APPROVED' && requested.execution === 'AT_ONCE';
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
  const known = await decidable(dependencies, decider);
  // Nothing more is kept of a forgotten person.
  const { civilId } = known.state.requested;
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
    known,
  );
  return expectAsked(state);
}

/** @throws Refusal APPROVAL_NOT_FOUND, PERMISSION_DENIED */
async function decidable(
  { approvals }: DecideDependencies,
  { approvalId, operator }: Decider,
): Promise<Loaded<AskedApproval>> {
  const { state, revision } = await approvals.load(approvalId);
  const asked = expectAsked(state);
  assertCapability(operator, asked.requested.capability);
  return { state: asked, revision };
}

/** @throws Refusal APPROVAL_NOT_FOUND */
export function expectAsked(state: { readonly status: 'NONE' } | AskedApproval): AskedApproval {
  if (state.status === 'NONE') throw new Refusal('APPROVAL_NOT_FOUND');
  return state;
}

/**
 * Ends an approval whose target changed since the request, or whose requester lost the right, unless it was decided
 * meanwhile.
 *
 * @throws Refusal APPROVAL_STALE
 */
async function assertStillMeant(
  dependencies: DecideDependencies,
  known: Loaded<AskedApproval>,
  context: CommandContext,
): Promise<void> {
  const { approvals, clock } = dependencies;
  const { requested } = known.state;
  try {
    await watched(dependencies, requested).targets.look();
    await assertEntitled(dependencies, requested.requestedBy, requested.capability);
  } catch (error) {
    if (error instanceof AlreadyExecuted) return;
    if (!isRefusal(error)) throw error;
    const failure = { type: 'FailUndecided', code: error.code } as const;
    const now = clock.now().toISOString();
    const command = { ...failure, now };
    const { state } = await approvals.handle(requested.approvalId, command, context, known);
    if (expectAsked(state).status !== 'FAILED') return;
    throw new Refusal('APPROVAL_STALE', {
      ...(error.code === 'PERMISSION_DENIED'
        ? { detail: 'The operator who asked for this may no longer do it.' }
        : {}),
      cause: error,
    });
  }
}

/** Waits until the read models show the end; the log has it even if they do not in time. */
async function untilShown(
  { eventStore, progress }: DecideDependencies,
  deadline: number,
): Promise<void> {
  try {
    const head = await eventStore.head();
    const left = Math.max(0, deadline - performance.now());
    if (head !== null) await progress.untilProjected(head, left);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
  }
}

/** @param deadline by `performance.now()` */
function changedBefore(deadline: number, changed: Promise<void>): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, deadline - performance.now());
    void changed.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
