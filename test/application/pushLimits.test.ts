import { expect } from 'chai';
import type { PushEnding, PushLimit } from '../../application/session/ports/pushRecords.ts';
import { createPushLimits, type PushRules } from '../../application/session/pushLimits.ts';
import { createMemoryAttemptLimits } from '../../infrastructure/replay/memoryAttemptLimits.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';

const bank = { civilId: '110000000001', relyingPartyId: 'bank' };
const rules: PushRules = { running: 0, backOffMs: 10_000, blockMs: 86_400_000 };

function world(changes: Partial<PushRules> = {}, attempts = { citizen: 5, relyingParty: 3 }) {
  const clock = manualClock();
  const endings: PushEnding[] = [];
  const refused: PushLimit[] = [];
  const known = { running: 0 };
  const counting = (each: number) =>
    createMemoryAttemptLimits({
      attempts: each,
      windowMs: 60_000,
      now: () => clock.now().getTime(),
    });
  const limits = createPushLimits({
    citizen: counting(attempts.citizen),
    relyingParty: counting(attempts.relyingParty),
    rules: { ...rules, ...changes },
    records: {
      pushesTo: (_push, _now, since) =>
        Promise.resolve({
          running: known.running,
          endings: endings.filter(({ completedAt }) => completedAt >= since.toISOString()),
        }),
    },
    clock,
    onRefused: (limit) => refused.push(limit),
  });
  return {
    ...limits,
    clock,
    refused,
    known,
    ended: (endResult: PushEnding['endResult']) =>
      endings.unshift({ endResult, completedAt: clock.now().toISOString() }),
    /** Seconds to wait; 0: the push is sent. */
    async wait(push = bank): Promise<number> {
      const error = await limits.admit(push).then(
        () => null,
        (cause: unknown) => cause,
      );
      if (error === null) return 0;
      expect(error).to.include({ code: 'RATE_LIMITED' });
      return (error as { retryAfterSeconds: number }).retryAfterSeconds;
    },
  };
}

describe('F10: pushes to a citizen', () => {
  it('are few a minute of one relying party, and leave others theirs', async () => {
    const { wait, clock, refused } = world();
    expect([await wait(), await wait(), await wait()]).to.deep.equal([0, 0, 0]);
    expect(await wait()).to.equal(60);
    expect(await wait({ ...bank, relyingPartyId: 'shop' })).to.equal(0);
    expect(await wait({ ...bank, civilId: '110000000002' })).to.equal(0);
    clock.advance(60_000);
    expect(await wait()).to.equal(0);
    expect(refused).to.deep.equal(['RELYING_PARTY']);
  });

  it('are few a minute of all relying parties together', async () => {
    const { wait, refused } = world();
    const waits: number[] = [];
    for (let each = 0; each < 7; each += 1) {
      waits.push(await wait({ ...bank, relyingPartyId: `party ${each}` }));
    }
    expect(waits).to.deep.equal([0, 0, 0, 0, 0, 60, 60]);
    expect(refused).to.deep.equal(['CITIZEN', 'CITIZEN']);
  });

  it('do not count once confirmed', async () => {
    const { wait, confirmed } = world();
    for (let each = 0; each < 20; each += 1) {
      expect(await wait()).to.equal(0);
      await confirmed(bank);
    }
  });

  it('are not sent while too many are unanswered', async () => {
    const { wait, known, refused } = world({ running: 5 });
    known.running = 5;
    expect(await wait()).to.be.above(0);
    known.running = 4;
    expect(await wait()).to.equal(0);
    expect(refused).to.deep.equal(['RUNNING']);
  });

  it('back off exponentially after refusals, up to an hour, until one is confirmed', async () => {
    const { wait, ended, clock } = world();
    const waits: number[] = [];
    for (let each = 0; each < 11; each += 1) {
      ended(each % 2 === 0 ? 'USER_REFUSED' : 'WRONG_VC');
      const seconds = await wait();
      waits.push(seconds);
      clock.advance(seconds * 1000);
    }
    expect(waits).to.deep.equal([10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600]);
    ended('OK');
    expect(await wait()).to.equal(0);
    ended('USER_REFUSED');
    expect(await wait()).to.equal(10);
  });

  it('do not back off because a phone did not answer', async () => {
    const { wait, ended } = world();
    ended('TIMEOUT');
    expect(await wait()).to.equal(0);
  });

  it('are blocked for a day by "It was not me", whatever was confirmed since', async () => {
    const { wait, ended, clock, refused } = world();
    ended('USER_REFUSED_NOT_ME');
    clock.advance(1000);
    ended('OK');
    expect(await wait()).to.equal(86_399);
    clock.advance(86_399_000);
    expect(await wait()).to.equal(0);
    expect(refused).to.deep.equal(['NOT_ME']);
  });

  it('tell the relying party what to do', async () => {
    const { admit, ended } = world();
    ended('USER_REFUSED_NOT_ME');
    expect(String(await rejection(admit(bank)))).to.contain('device link');
  });
});
