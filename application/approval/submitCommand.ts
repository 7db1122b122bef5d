import {
  type ActingOperator,
  assertCapability,
  expectReviewers,
  type FourEyesPolicy,
  type MadeSecret,
  needsFourEyes,
  operationFor,
  operationRules,
  type Plan,
  hashedCommand,
  type SensitiveCommand,
  type SensitiveOperations,
} from './operations.ts';
import { awaitProjection, type CommandContext } from '../handleCommand.ts';
import { approvalsNeeded, type AskedApproval } from '../../domain/approval/approval.ts';
import { editing, type SensitiveOperationName } from '../../domain/approval/events.ts';
import type { Capability } from '../../domain/operator/capabilities.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore } from '../ports/eventStore.ts';
import type { PersonalDataVault } from '../ports/personalDataVault.ts';
import type { ProjectionProgress } from '../ports/projectionProgress.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { Approvals } from '../aggregates.ts';
import type { PendingApprovals } from './ports/approvalInbox.ts';

/** Requesting operator, and the reason. */
export interface Request {
  readonly operator: ActingOperator;
  /** Reason in the operator's words. */
  readonly comment?: string | undefined;
  readonly context: CommandContext;
}

/** PENDING: another operator decides. UNCHANGED: the state is already as requested. */
export type Submitted =
  | { readonly kind: 'PENDING'; readonly approval: AskedApproval }
  | (Looked & { readonly kind: 'EXECUTED'; readonly result: MadeSecret | null })
  | (Looked & { readonly kind: 'UNCHANGED' });

interface Looked {
  readonly operation: SensitiveOperationName;
  readonly plan: Plan;
}

export interface SubmitDependencies {
  readonly approvals: Approvals;
  readonly open: PendingApprovals;
  readonly operations: SensitiveOperations;
  readonly policy: FourEyesPolicy;
  /** Ids of the active operators with a capability. */
  readonly holdersOf: (capability: Capability) => Promise<readonly string[]>;
  /** Time for a decision, ms. */
  readonly validityMs: number;
  readonly eventStore: EventStore;
  readonly vault: Pick<PersonalDataVault, 'isForgotten'>;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly progress: ProjectionProgress;
}

/** @throws Refusal PERMISSION_DENIED, and whatever the command itself is refused for */
export type Submit = (command: SensitiveCommand, request: Request) => Promise<Submitted>;

/** The one door for sensitive commands: executes them, or asks for a second pair of eyes where the policy wants it. */
export function createSubmit(dependencies: SubmitDependencies): Submit {
  const { approvals, operations, policy, eventStore, clock, randomness } = dependencies;

  async function ask(
    command: SensitiveCommand,
    { subject, civilId, effects, targets, execution }: Plan,
    { operator, comment, context }: Request,
  ): Promise<AskedApproval> {
    const hashed = hashedCommand(command);
    const { operation } = command;
    await expectNotAsked(dependencies.open, { ...hashed, operation, subject });
    const approvalId = randomness.uuid();
    const now = clock.now();
    const rule = operationRules[operation];
    // Nothing more is kept of a forgotten person.
    const isForgotten = civilId !== null && (await dependencies.vault.isForgotten(civilId));
    const requested = {
      approvalId,
      operation,
      ...hashed,
      capability: rule.capability,
      subject,
      effects,
      civilId: isForgotten ? null : civilId,
      targets: targets.map(({ stream, revision }) => ({
        stream,
        revision: revision === null ? null : revision.toString(),
      })),
      execution: execution ?? rule.execution,
      comment: isForgotten ? null : (comment ?? null),
      requestedBy: operator.id,
      requestedAt: now.toISOString(),
      expiresAt: new Date(now.getTime() + dependencies.validityMs).toISOString(),
    };
    const { state } = await awaitProjection(
      dependencies.progress,
      approvals.handleNew(
        approvalId,
        { type: 'RequestApproval', requested },
        { ...context, correlationId: approvalId },
      ),
    );
    if (state.status === 'NONE') throw new Refusal('CONFLICT');
    return state;
  }

  return async (command, request) => {
    const { operation } = command;
    assertCapability(request.operator, operationRules[operation].capability);
    const bound = operationFor(operations, command);
    const plan = await bound.plan();
    if (plan.effects.length === 0) return { kind: 'UNCHANGED', operation, plan };
    const { id: requester } = request.operator;
    if (policy.required && plan.isRefusedUnreviewed === true) {
      expectReviewers(plan.reviewers ?? [], requester);
    }
    if (needsFourEyes(policy, operation, plan, requester)) {
      if (approvalsNeeded(requester) > 1) {
        const { capability } = operationRules[operation];
        expectReviewers(await dependencies.holdersOf(capability), requester);
      }
      return { kind: 'PENDING', approval: await ask(command, plan, request) };
    }
    const context = { ...request.context, correlationId: plan.subject };
    const result = await bound.execute(context, eventStore);
    return { kind: 'EXECUTED', operation, plan, result };
  };
}

/** @throws Refusal CONFLICT when the same is asked for already and waits: the later one could not be carried out */
async function expectNotAsked(
  open: PendingApprovals,
  asked: Parameters<PendingApprovals['pending']>[0],
): Promise<void> {
  const approvalId = await open.pending(asked, editing.includes(asked.operation) ? 'SAME' : 'ANY');
  if (approvalId === null) return;
  throw new Refusal('CONFLICT', {
    detail: `This was already asked for and is waiting for approval: ${approvalId}.`,
  });
}
