import { expect } from 'chai';
import { createRequestJournal } from '../../application/audit/requestJournal.ts';
import type { RefusedCommand } from '../../application/audit/refusedCommand.ts';
import { networkOf } from '../../application/attempts.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import type { AccessEvent } from '../../domain/access/events.ts';
import { systemClock } from '../../infrastructure/system.ts';

type Denied = Extract<AccessEvent, { type: 'CommandDenied' }>['data'];

const byAnonymous: RefusedCommand = {
  operation: 'rp.sign',
  code: 'UNAUTHENTICATED',
  capability: null,
  subject: null,
  actor: null,
  requestId: 'request-1',
  ip: '192.0.2.1',
};
const byOperator: RefusedCommand = {
  ...byAnonymous,
  code: 'PERMISSION_DENIED',
  actor: { kind: 'operator', id: 'o1' },
};

function openJournal() {
  const told: { readonly data: Denied; readonly context: CommandContext }[] = [];
  const failures: unknown[] = [];
  let failure: Error | null = null;
  let release: () => void = () => undefined;
  let held: Promise<void> | null = null;
  let waited = 0;
  const journal = createRequestJournal({
    accessLog: async ({ data }, context) => {
      if (held !== null) await held;
      if (failure !== null) throw failure;
      told.push({ data: data as Denied, context });
    },
    clock: { now: () => new Date(systemClock.now().getTime() + waited) },
    onFailure: (cause) => failures.push(cause),
  });
  return {
    journal,
    told,
    failures,
    fail: () => (failure = new Error('The log is unavailable.')),
    hold: () => (held = new Promise((resolve) => (release = resolve))),
    release: () => release(),
    wait: (milliseconds: number) => void (waited += milliseconds),
  };
}

describe('Requests in the audit', () => {
  it('have a line for every refusal of a known caller', async () => {
    const { journal, told } = openJournal();
    for (let index = 0; index < 30; index += 1) journal.refused(byOperator);
    await journal.settle();
    expect(told).to.have.length(30);
    expect(told[0]?.context).to.deep.include({ requestId: 'request-1', ip: '192.0.2.1' });
    expect(told[0]?.context.actor).to.deep.equal({ kind: 'operator', id: 'o1' });
    expect(told[0]?.data).to.include({ code: 'PERMISSION_DENIED', count: 1 });
  });

  it('of an anonymous caller are recorded once, with the number that followed', async () => {
    const { journal, told } = openJournal();
    for (let index = 0; index < 50; index += 1) journal.refused(byAnonymous);
    journal.refused({ ...byAnonymous, ip: '192.0.2.2' });
    await journal.settle();
    expect(told.map(({ data, context }) => [context.ip, data.count])).to.deep.equal([
      ['192.0.2.1', 1],
      ['192.0.2.2', 1],
      ['192.0.2.1', 49],
    ]);
    expect(told.map(({ context }) => context.actor.kind)).to.deep.equal(Array(3).fill('unknown'));
    expect(told[2]?.context.requestId).to.equal(null);
  });

  it('of anonymous callers fill a bounded number of lines whatever their addresses, and none is lost', async () => {
    const { journal, told } = openJournal();
    for (let index = 0; index < 20_000; index += 1) {
      journal.refused({
        ...byAnonymous,
        ip: `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`,
      });
    }
    for (let index = 0; index < 5000; index += 1) {
      journal.refused({ ...byAnonymous, ip: `2001:db8:0:7::${index.toString(16)}` });
    }
    await journal.settle();
    expect(told.length).to.be.below(1010);
    expect(told.reduce((sum, { data }) => sum + data.count, 0)).to.equal(25_000);
  });

  it('count together what known callers are refused faster than it can be written', async () => {
    const { journal, told, hold, release } = openJournal();
    void hold();
    for (let index = 0; index < 3000; index += 1) journal.refused(byOperator);
    release();
    await journal.settle();
    expect(told.length).to.be.below(1010);
    expect(told.reduce((sum, { data }) => sum + data.count, 0)).to.equal(3000);
    expect(told.every(({ context }) => context.actor.id === 'o1')).to.equal(true);
  });

  it('never fail the request that was refused, and fail one that would disclose', async () => {
    const { journal, failures, fail } = openJournal();
    fail();
    journal.refused(byOperator);
    await journal.settle();
    expect(failures).to.have.length(1);
    let refused = false;
    const disclosure = { ...byOperator, actor: { kind: 'operator', id: 'o1' } as const };
    await journal.disclosing(disclosure).catch(() => (refused = true));
    expect(refused).to.equal(true);
  });

  it('tell once in five minutes what a page polls, and each other disclosure', async () => {
    const { journal, told, wait } = openJournal();
    const read = { ...byOperator, actor: { kind: 'operator', id: 'o1' } as const };
    const disclose = async (...disclosures: readonly object[]) => {
      for (const each of disclosures) await journal.disclosing({ ...read, ...each });
    };
    const page = { polled: '/v3/admin/approvals?decidable=true&limit=1' };
    await disclose(page, page, { polled: '/v3/admin/approvals?q=Бат' }, {}, {});
    expect(told).to.have.length(4);
    await disclose({ ...page, actor: { kind: 'operator', id: 'o2' } });
    expect(told).to.have.length(5);
    wait(4.9 * 60_000);
    await disclose(page);
    expect(told).to.have.length(5);
    wait(0.2 * 60_000);
    await disclose(page);
    expect(told).to.have.length(6);
  });

  it('know the network of an address', () => {
    expect(networkOf('192.0.2.7')).to.equal('192.0.2.7');
    expect(networkOf('2001:db8:1:2:3:4:5:6')).to.equal('2001:db8:1:2::/64');
    expect(networkOf('2001:db8::7')).to.equal('2001:db8:0:0::/64');
    expect(networkOf('::1')).to.equal('0:0:0:0::/64');
    expect(networkOf('fe80::')).to.equal('fe80:0:0:0::/64');
    expect(networkOf('::ffff:192.0.2.1')).to.equal('::ffff:192.0.2.1');
  });
});
