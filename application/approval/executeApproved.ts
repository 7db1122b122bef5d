import { approvalDecider, type AskedApproval } from '../../domain/approval/approval.ts';
import type {
  ApprovalEvent,
  ApprovalRequested,
  ApprovalTarget,
} from '../../domain/approval/events.ts';
import { type Capability, hasCapability } from '../../domain/operator/capabilities.ts';
import { isRefusal, Refusal, type RefusalCode } from '../../domain/shared/refusal.ts';
import { streamOf } from '../../domain/shared/streams.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventStore, RecordedEvent } from '../ports/eventStore.ts';
import { Unavailable } from '../ports/faults.ts';
import type { Approvals } from '../aggregates.ts';
import type { RoleOf } from '../operator/operators.ts';
import {
  type BoundOperation,
  type MadeSecret,
  verifiedCommand,
  operationFor,
  type SensitiveOperations,
} from './operations.ts';
import {
  createRetryingReactor,
  type Reactor,
  type ReactorDependencies,
} from '../reactors/reactor.ts';

export interface ExecuteDependencies {
  readonly approvals: Approvals;
  readonly operations: SensitiveOperations;
  readonly roleOf: RoleOf;
  readonly eventStore: EventStore;
  readonly clock: Clock;
}

export interface Executed {
  readonly approval: AskedApproval;
  /** Result for the requester; null also when executed before. */
  readonly result: MadeSecret | null;
}

interface Granted {
  readonly approval: AskedApproval;
  /** Of the last event of the approval. */
  readonly revision: bigint;
  /** Of the event that granted it. */
  readonly eventId: string;
}

/**
 * Executes an approved command and records the outcome. Idempotent: appended events carry the approval id as
 * correlationId.
 *
 * @param execution approvals of another execution mode are skipped
 * @returns null when no approved command is pending
 * @throws Unavailable; the approval stays pending
 */
export async function executeApproved(
  dependencies: ExecuteDependencies,
  approvalId: string,
  execution: ApprovalRequested['data']['execution'],
): Promise<Executed | null> {
  const granted = await readGranted(dependencies.eventStore, approvalId);
  if (granted?.approval.requested.execution !== execution) return null;
  const context = contextOf(granted);
  /** Returns the secret although its record failed: it is shown only once, and the log has the event that made it. */
  const recorded = (recording: Promise<AskedApproval>, secret: MadeSecret | null) =>
    recording.catch((error: unknown) => {
      if (secret === null || !(error instanceof Unavailable)) throw error;
      return granted.approval;
    });
  const record = async (
    end: { type: 'RecordExecution' } | { type: 'RecordFailure'; code: string },
  ) => {
    const now = dependencies.clock.now().toISOString();
    const { approval: state, revision } = granted;
    const { state: ended } = await dependencies.approvals.handle(
      approvalId,
      { ...end, now },
      context,
      { state, revision },
    );
    return ended.status === 'NONE' ? granted.approval : ended;
  };
  try {
    const result = await carryOut(dependencies, granted, context);
    return { approval: await recorded(record({ type: 'RecordExecution' }), result), result };
  } catch (error) {
    if (error instanceof AlreadyExecuted) {
      return { approval: await record({ type: 'RecordExecution' }), result: null };
    }
    if (!isRefusal(error)) throw error;
    const { code } = error;
    return { approval: await record({ type: 'RecordFailure', code }), result: null };
  }
}

async function carryOut(
  dependencies: ExecuteDependencies,
  { approval: { requested, endorsement, decision } }: Granted,
  context: CommandContext,
): Promise<MadeSecret | null> {
  const { operation, targets } = watched(dependencies, requested);
  const hasBegun = await targets.look();
  // A command executed in part is completed, also when an operator has lost the capability since.
  if (!hasBegun) {
    await assertEntitled(dependencies, requested.requestedBy, requested.capability);
    await assertEntitled(dependencies, decision?.by ?? '', requested.capability);
    if (endorsement !== null) {
      await assertEntitled(dependencies, endorsement.by, requested.capability);
    }
  }
  return operation.execute(context, targets.eventStore);
}

/** The approved command and the streams it rests on. */
export function watched(
  { operations, eventStore }: Pick<ExecuteDependencies, 'operations' | 'eventStore'>,
  requested: AskedApproval['requested'],
): { readonly operation: BoundOperation; readonly targets: WatchedTargets } {
  const operation = operationFor(operations, verifiedCommand(requested));
  const { approvalId, targets } = requested;
  const { concerns, completes } = operation;
  return {
    operation,
    targets: watchTargets(eventStore, { approvalId, targets, concerns, completes }),
  };
}

/** @throws Refusal PERMISSION_DENIED when the operator lost what the command needs */
export async function assertEntitled(
  { roleOf }: Pick<ExecuteDependencies, 'roleOf'>,
  operatorId: string,
  capability: string,
): Promise<void> {
  const role = await roleOf(operatorId);
  if (role === null || !hasCapability(role, capability as Capability)) {
    throw new Refusal('PERMISSION_DENIED');
  }
}

/** The approval as the log has it, if it is granted and has not ended. */
async function readGranted(eventStore: EventStore, approvalId: string): Promise<Granted | null> {
  let approval = approvalDecider.initial;
  let last = -1n;
  let eventId = '';
  for await (const { id, event, revision } of eventStore.read(streamOf('approval', approvalId))) {
    approval = approvalDecider.evolve(approval, event as ApprovalEvent);
    last = revision;
    if (event.type === 'ApprovalGranted') eventId = id;
  }
  return approval.status === 'APPROVED' ? { approval, revision: last, eventId } : null;
}

/** The command is the requester's, caused by the grant. */
function contextOf({ approval: { requested }, eventId }: Granted): CommandContext {
  return {
    actor: { kind: 'operator', id: requested.requestedBy },
    correlationId: requested.approvalId,
    causationId: eventId,
    requestId: null,
    ip: null,
  };
}

/** The end of an approval as its refusal; null when it was executed. */
export function refusalOf({ status, code }: AskedApproval): Refusal | null {
  return status === 'FAILED' ? new Refusal((code ?? 'CONFLICT') as RefusalCode) : null;
}

/** The command was carried out before under the same approval. */
export class AlreadyExecuted extends Error {
  override readonly name = 'AlreadyExecuted';
}

export interface WatchOptions {
  readonly approvalId: string;
  readonly targets: readonly ApprovalTarget[];
  /** True when an event of another command changes the approved effects. */
  readonly concerns: (event: RecordedEvent['event']) => boolean;
  /** True when an event under this approval completes the command. */
  readonly completes: (event: RecordedEvent['event']) => boolean;
}

interface WatchedTargets {
  /**
   * Reads all targets.
   *
   * @returns true when execution under this approval has started
   * @throws Refusal APPROVAL_STALE when another command changed a target before that
   * @throws AlreadyExecuted
   */
  look(): Promise<boolean>;
  /** Event store for the approved command: refuses decisions based on other than the approved state. */
  readonly eventStore: EventStore;
}

/**
 * Watches the streams a command depends on. A decision reads its stream and appends at the revision it read, so
 * watching the reads suffices: an event in between is a conflict, and is read.
 */
function watchTargets(eventStore: EventStore, options: WatchOptions): WatchedTargets {
  const { approvalId, targets, concerns, completes } = options;
  const known = new Map(
    targets.map(({ stream, revision }) => [stream, revision === null ? -1n : BigInt(revision)]),
  );
  const appendedHere = new Set<string>();
  let begun = false;

  function whose({ id, event, metadata }: RecordedEvent): 'OURS' | 'FOREIGN' | 'IRRELEVANT' {
    // Our events have no requestId; a correlationId alone may be the caller's choice.
    const isOurs = metadata.correlationId === approvalId && metadata.requestId === null;
    if (!isOurs) return concerns(event) ? 'FOREIGN' : 'IRRELEVANT';
    if (!appendedHere.has(id) && completes(event)) throw new AlreadyExecuted();
    return 'OURS';
  }

  function assertFresh(isForeign: boolean): void {
    if (isForeign && !begun) throw new Refusal('APPROVAL_STALE');
  }

  return {
    async look() {
      const found = new Set<string>();
      for (const [stream, revision] of known) {
        for await (const recorded of eventStore.read(stream, revision + 1n)) {
          found.add(whose(recorded));
        }
      }
      begun = found.has('OURS');
      assertFresh(found.has('FOREIGN'));
      return begun;
    },
    eventStore: {
      ...eventStore,
      async append(stream, events, expected) {
        for (const { id } of events) appendedHere.add(id);
        const appended = await eventStore.append(stream, events, expected);
        begun = true;
        return appended;
      },
      async *read(stream, from) {
        const revision = known.get(stream);
        for await (const recorded of eventStore.read(stream, from)) {
          if (revision !== undefined && recorded.revision > revision) {
            assertFresh(whose(recorded) === 'FOREIGN');
          }
          yield recorded;
        }
      },
    },
  };
}

export interface ApprovalExecutionOptions extends ReactorDependencies, ExecuteDependencies {}

/**
 * Executes each command once it is approved, except those whose requester collects the result. Skips ended approvals,
 * so a first start from the beginning of the log executes only pending ones.
 */
export function createApprovalExecution(options: ApprovalExecutionOptions): Reactor {
  return createRetryingReactor(
    { name: 'executeApprovedCommands', category: 'approval', types: ['ApprovalGranted'] },
    async ({ event }) => {
      await executeApproved(options, event.data.approvalId, 'AT_ONCE');
    },
    options,
  );
}
