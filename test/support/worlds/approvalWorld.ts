import { type Approvals } from '../../../application/aggregates.ts';
import { approve, type DecideDependencies } from '../../../application/approval/decideApproval.ts';
import {
  type CommandOf,
  hashedCommand,
  type SensitiveOperations,
} from '../../../application/approval/operations.ts';
import type { CommandContext } from '../../../application/handleCommand.ts';
import type { Checkpoints } from '../../../application/reactors/ports/checkpoints.ts';
import type { EventStore } from '../../../application/ports/eventStore.ts';
import { Unavailable } from '../../../application/ports/faults.ts';
import { createApprovalExecution } from '../../../application/approval/executeApproved.ts';
import type { Reactor } from '../../../application/reactors/reactor.ts';
import type { ApprovalRequested } from '../../../domain/approval/events.ts';
import { approvalTopic, identifierOf, streamOf } from '../../../domain/shared/streams.ts';
import { causedBy, givenInMemory } from '../given/inMemory.ts';
import { createMemoryDeadLetters } from '../doubles/memoryDeadLetters.ts';

/** Approvals over a log in memory; the commands deactivate relying parties, which needs a key vault. */
export interface ApprovalWorld {
  readonly approvals: Approvals;
  readonly dependencies: DecideDependencies;
  /** Relying parties whose deactivation fails with {@link Unavailable}. */
  readonly unavailable: Set<string>;
  /** Names of reactors that failed. */
  readonly failures: string[];
  request(
    relyingPartyId: string,
    execution?: ApprovalRequested['data']['execution'],
  ): Promise<string>;
  /** Context of the second operator. */
  approve(approvalId: string, timeoutMs?: number): ReturnType<typeof approve>;
  statusOf(approvalId: string): Promise<string>;
  /** Number of deactivations of the relying party in the log. */
  deactivations(relyingPartyId: string): number;
  /** A process that executes approved commands, from the checkpoint of the one before. */
  executor(): Reactor;
}

export function createApprovalWorld(): ApprovalWorld {
  const parts = givenInMemory();
  const { approvals, clock, eventStore, notifications, randomness } = parts;
  const unavailable = new Set<string>();
  const failures: string[] = [];
  const checkpoints = memoryCheckpoints();

  async function deactivate(
    { relyingPartyId }: CommandOf<'relyingParty.deactivate'>,
    context: CommandContext,
    store: EventStore,
  ): Promise<null> {
    if (unavailable.has(relyingPartyId)) throw new Unavailable('keyVault');
    const stream = streamOf('relyingParty', relyingPartyId);
    for await (const { event } of store.read(stream)) {
      if (event.type === 'RelyingPartyDeactivated') return null;
    }
    const event = { type: 'RelyingPartyDeactivated', data: { relyingPartyId } };
    const metadata = { time: clock.now().toISOString(), ...context };
    await store.append(stream, [{ id: randomness.uuid(), event, metadata }], 'none');
    return null;
  }

  const dependencies: DecideDependencies = {
    approvals,
    eventStore,
    clock,
    notifications,
    vault: parts.vault,
    progress: parts.progress,
    operations: {
      'relyingParty.deactivate': { execute: deactivate },
    } as unknown as SensitiveOperations,
    roleOf: () => Promise.resolve('SUPER_ADMIN'),
  };

  // Notifies like the projector once the read model shows the change.
  eventStore.subscribe({
    after: null,
    categories: ['approval'],
    onBatch: (events) => {
      notifications.notify(events.map(({ stream }) => approvalTopic(identifierOf(stream))));
      return Promise.resolve();
    },
  });

  return {
    approvals,
    dependencies,
    unavailable,
    failures,
    async request(relyingPartyId, execution = 'AT_ONCE') {
      const approvalId = randomness.uuid();
      const requested: ApprovalRequested['data'] = {
        approvalId,
        operation: 'relyingParty.deactivate',
        capability: 'rp:write',
        ...hashedCommand({ operation: 'relyingParty.deactivate', relyingPartyId }),
        subject: relyingPartyId,
        civilId: null,
        effects: [],
        targets: [{ stream: streamOf('relyingParty', relyingPartyId), revision: null }],
        execution,
        comment: null,
        requestedBy: 'asker',
        requestedAt: clock.now().toISOString(),
        expiresAt: new Date(clock.now().getTime() + 60_000).toISOString(),
      };
      const context = causedBy('operator', 'asker', approvalId);
      await approvals.handleNew(approvalId, { type: 'RequestApproval', requested }, context);
      return approvalId;
    },
    approve: (approvalId, timeoutMs = 30_000) =>
      approve(Object.assign({}, dependencies, { timeoutMs }), {
        approvalId,
        operator: { id: 'decider', role: 'SUPER_ADMIN' },
        context: causedBy('operator', 'decider', approvalId),
      }),
    async statusOf(approvalId) {
      return (await approvals.load(approvalId)).state.status;
    },
    deactivations: (relyingPartyId) =>
      eventStore.events.filter(
        ({ stream, event }) =>
          stream === streamOf('relyingParty', relyingPartyId) &&
          event.type === 'RelyingPartyDeactivated',
      ).length,
    executor: () =>
      createApprovalExecution(
        Object.assign({}, dependencies, {
          checkpoints,
          deadLetters: createMemoryDeadLetters(),
          leaderLock: parts.leaderLock,
          onFailure: (name: string) => failures.push(name),
        }),
      ),
  };
}

function memoryCheckpoints(): Checkpoints {
  const positions = new Map<string, bigint>();
  return {
    load: (name) => Promise.resolve(positions.get(name) ?? null),
    save(name, expected, position) {
      if ((positions.get(name) ?? null) !== expected) return Promise.resolve(false);
      positions.set(name, position);
      return Promise.resolve(true);
    },
  };
}
