import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { type Approvals } from '../../application/aggregates.ts';
import { approve } from '../../application/approval/decideApproval.ts';
import { executeApproved } from '../../application/approval/executeApproved.ts';
import type { SensitiveOperations } from '../../application/approval/operations.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { causedBy } from '../support/given/inMemory.ts';
import { createApprovalWorld } from '../support/worlds/approvalWorld.ts';

const relyingPartyId = '00000000-0000-4000-8000-00000000000b';

describe('Deciding about an approval', () => {
  let approvalId: string;
  let approvals: Approvals;
  let dependencies: Parameters<typeof approve>[0];

  beforeEach(async () => {
    const world = createApprovalWorld();
    ({ approvals } = world);
    approvalId = await world.request(relyingPartyId);
    const operations = {
      'relyingParty.deactivate': {
        execute: async (_: unknown, context: CommandContext) => {
          await touch(context);
          return null;
        },
        completes: () => true,
      },
    } as unknown as SensitiveOperations;
    dependencies = { ...world.dependencies, operations, timeoutMs: 0 };
  });

  const by = (id: string, correlationId = approvalId) => causedBy('operator', id, correlationId);

  /** Changes what the approval is about. */
  function touch(context: CommandContext): Promise<unknown> {
    const event = { type: 'SecretRotated', data: {} } as never;
    const metadata = { ...context, time: dependencies.clock.now().toISOString() };
    const added = { id: randomUUID(), event, metadata };
    return dependencies.eventStore.append(`relyingParty-${relyingPartyId}`, [added], 'any');
  }

  const decide = (id: string, over = approvals) =>
    approve(
      { ...dependencies, approvals: over },
      { approvalId, operator: { id, role: 'SUPER_ADMIN' }, context: by(id) },
    );

  /** State read just before another command changes it. */
  const overtakenBy = (faster: () => Promise<unknown>): Approvals => ({
    ...approvals,
    load: async (id) => {
      const loaded = await approvals.load(id);
      await faster();
      return loaded;
    },
  });

  it('tells the slower of two that it is decided, also once it is carried out', async () => {
    const overtaken = overtakenBy(async () => {
      await decide('first');
      await executeApproved(dependencies, approvalId, 'AT_ONCE');
    });
    const error = await rejection(decide('second', overtaken));
    expect(isRefusal(error, 'APPROVAL_DECIDED'), String(error)).to.equal(true);
    const { state } = await approvals.load(approvalId);
    expect(state)
      .to.include({ status: 'EXECUTED' })
      .and.have.nested.property('decision.by', 'first');
  });

  it('ends nothing that another granted meanwhile: it may be being carried out', async () => {
    const overtaken = overtakenBy(async () => {
      await decide('first');
      await touch(by('somebody', 'another command'));
    });
    const error = await rejection(decide('second', overtaken));
    expect(isRefusal(error, 'APPROVAL_DECIDED'), String(error)).to.equal(true);
    expect((await approvals.load(approvalId)).state).to.include({ status: 'APPROVED' });
  });

  it('hands a secret out that works from now on, though its end cannot be recorded', async () => {
    await decide('first');
    const secret = { relyingPartyId, apiSecret: 'rp_sk_new' };
    const away = () => Promise.reject(new Unavailable('eventStore'));
    const operations = {
      'relyingParty.deactivate': { execute: () => Promise.resolve(secret) },
    } as unknown as SensitiveOperations;
    const unable = { ...dependencies, operations, approvals: { ...approvals, handle: away } };
    expect(await executeApproved(unable, approvalId, 'AT_ONCE')).to.have.property('result', secret);
  });

  it('answers once the read models show the end', async () => {
    const ended = Promise.withResolvers<undefined>();
    const waited: bigint[] = [];
    Object.assign(dependencies, {
      timeoutMs: 60_000,
      notifications: { listen: () => ({ changed: ended.promise, cancel: () => undefined }) },
      progress: { untilProjected: (head: bigint) => Promise.resolve(waited.push(head)) },
    });
    const decided = decide('first');
    await eventually(async () =>
      expect((await approvals.load(approvalId)).state).to.include({ status: 'APPROVED' }),
    );
    await executeApproved(dependencies, approvalId, 'AT_ONCE');
    ended.resolve(undefined);
    expect(await decided).to.include({ status: 'EXECUTED' });
    expect(waited).to.deep.equal([await dependencies.eventStore.head()]);
  });

  it('takes nothing for its own that came by a request, whatever the request was called', async () => {
    await touch({ ...by('somebody'), requestId: approvalId });
    const error = await rejection(decide('first'));
    expect(isRefusal(error, 'APPROVAL_STALE'), String(error)).to.equal(true);
    expect((await approvals.load(approvalId)).state).to.include({ status: 'FAILED' });
  });

  it('ends what changed since it was asked for', async () => {
    await touch(by('somebody', 'another command'));
    for (let times = 0; times < 2; times += 1) {
      const error = await rejection(decide('first'));
      expect(isRefusal(error, 'APPROVAL_STALE'), String(error)).to.equal(true);
    }
    expect((await approvals.load(approvalId)).state).to.include({ status: 'FAILED' });
  });
});
