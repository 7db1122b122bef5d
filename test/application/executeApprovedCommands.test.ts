import { expect } from 'chai';
import { executeApproved } from '../../application/approval/executeApproved.ts';
import type { Reactor } from '../../application/reactors/reactor.ts';
import { type ApprovalWorld, createApprovalWorld } from '../support/worlds/approvalWorld.ts';
import { eventually } from '../support/assertions/eventually.ts';

describe('Executing approved commands', () => {
  let world: ApprovalWorld;
  let running: Reactor[];

  beforeEach(() => {
    world = createApprovalWorld();
    running = [];
  });

  afterEach(stopAll);

  function start(): Reactor {
    const reactor = world.executor();
    running.push(reactor);
    reactor.start();
    return reactor;
  }

  async function stopAll() {
    await Promise.all(running.splice(0).map((reactor) => reactor.stop()));
  }

  const untilStatus = (approvalId: string, status: string) =>
    eventually(async () => expect(await world.statusOf(approvalId)).to.equal(status));

  it('answers the approver with the outcome, without any sweep', async () => {
    start();
    const approvalId = await world.request('a');
    expect(await world.approve(approvalId)).to.include({ status: 'EXECUTED' });
    expect(world.deactivations('a')).to.equal(1);
  });

  it('executes what was granted before it first ran, and nothing that has ended', async () => {
    const ended = await world.request('ended');
    await world.approve(ended, 0);
    await executeApproved(world.dependencies, ended, 'AT_ONCE');
    const undecided = await world.request('undecided');
    const granted = await world.request('granted');
    await world.approve(granted, 0);
    start();
    await untilStatus(granted, 'EXECUTED');
    expect(await world.statusOf(undecided)).to.equal('PENDING');
    const times = ['ended', 'undecided', 'granted'].map((id) => world.deactivations(id));
    expect(times).to.deep.equal([1, 0, 1]);
  });

  it('leaves a command whose result is collected to its requester', async () => {
    start();
    const collected = await world.request('collected', 'BY_REQUESTER');
    expect(await world.approve(collected)).to.include({ status: 'APPROVED' });
    expect(await world.approve(await world.request('later'))).to.include({ status: 'EXECUTED' });
    expect(await world.statusOf(collected)).to.equal('APPROVED');
    expect(world.deactivations('collected')).to.equal(0);
  });

  it('repeats what an outage prevents until it succeeds, while later commands are executed', async () => {
    const reactor = start();
    world.unavailable.add('a');
    const failing = await world.request('a');
    expect(await world.approve(failing, 0)).to.include({ status: 'APPROVED' });
    expect(await world.approve(await world.request('b'))).to.include({ status: 'EXECUTED' });
    expect(await world.statusOf(failing)).to.equal('APPROVED');
    expect(reactor.status().state).to.equal('RETRYING');
    world.unavailable.delete('a');
    await untilStatus(failing, 'EXECUTED');
    expect(world.deactivations('a')).to.equal(1);
    expect(world.failures).to.deep.equal(['executeApprovedCommands']);
    await eventually(() => expect(reactor.status().state).to.equal('RUNNING'));
  });

  it('executes after a restart what failed before it, once, though later commands were executed', async () => {
    start();
    world.unavailable.add('a');
    const failing = await world.request('a');
    await world.approve(failing, 0);
    await world.approve(await world.request('b'));
    await stopAll();
    expect(world.deactivations('a')).to.equal(0);
    world.unavailable.delete('a');
    start();
    await untilStatus(failing, 'EXECUTED');
    await stopAll();
    start();
    await world.approve(await world.request('c'));
    const times = ['a', 'b', 'c'].map((id) => world.deactivations(id));
    expect(times).to.deep.equal([1, 1, 1]);
  });

  it('executes once where two processes do, because one has not noticed that it lost the lock', async () => {
    start();
    start();
    const ids = ['a', 'b', 'c', 'd'];
    const approved = ids.map(async (id) => world.approve(await world.request(id)));
    for (const approval of await Promise.all(approved)) {
      expect(approval).to.include({ status: 'EXECUTED' });
    }
    expect(ids.map((id) => world.deactivations(id))).to.deep.equal([1, 1, 1, 1]);
  });
});
