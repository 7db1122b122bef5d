import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { givenBackOnFailure } from '../../application/attempts.ts';
import type {
  LogDisturbance,
  PushEnding,
  PushLimit,
  RunningPush,
} from '../../application/session/ports/pushRecords.ts';
import { createPushLimits, type PushRules } from '../../application/session/pushLimits.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { EndResult } from '../../domain/session/events.ts';
import type { Refusal } from '../../domain/shared/refusal.ts';
import { createMemoryAttemptLimits } from '../../infrastructure/system.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';

const bank = { civilId: '110000000001', relyingPartyId: 'bank' };
const rules: PushRules = { running: 0, backOffMs: 10_000, blockMs: 86_400_000 };

/** Session whose code the citizen does not choose. */
const plain = 'plain';

const runningOf = (...parties: readonly string[]): RunningPush[] =>
  parties.map((relyingPartyId, at) => ({ sessionId: `${relyingPartyId} ${at}`, relyingPartyId }));

function world(changes: Partial<PushRules> = {}, attempts = { citizen: 5, relyingParty: 3 }) {
  const clock = manualClock();
  const endings: PushEnding[] = [];
  const refused: PushLimit[] = [];
  const known = { running: [] as RunningPush[] };
  const allowed: { since: string | null } = { since: null };
  /** Answers of the log, and how often it was asked. */
  const logged = {
    ends: new Map<string, EndResult>(),
    asked: 0,
    isOut: false,
    late: { asks: 0, by: 'SLOW' as LogDisturbance },
  };
  /** Time that a look at the log takes, ms. */
  const look = { ms: 0, elapsed: 0 };
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
    unlimited: new Set(['110000000009']),
    records: {
      pushesTo: (_push, _now, since) =>
        Promise.resolve({
          ...known,
          endings: endings.filter(({ completedAt }) => completedAt >= since.toISOString()),
        }),
    },
    allowedSince: () => Promise.resolve(allowed.since),
    logged: {
      endResultOf: (sessionId) => {
        logged.asked += 1;
        look.elapsed += look.ms;
        if (logged.isOut) return Promise.reject(new Unavailable('eventStore'));
        return Promise.resolve(logged.ends.get(sessionId) ?? null);
      },
      offeredChoice: (sessionId) => Promise.resolve(sessionId !== plain),
      disturbance: () => ((logged.late.asks -= 1) >= 0 ? logged.late.by : null),
    },
    clock,
    elapsed: () => look.elapsed,
    onRefused: (limit) => refused.push(limit),
  });
  return {
    ...limits,
    clock,
    refused,
    known,
    allowed,
    logged,
    look,
    recordEnding: (endResult: PushEnding['endResult'], sessionId: string = randomUUID()) =>
      endings.unshift({ sessionId, endResult, completedAt: clock.now().toISOString() }),
    /** Seconds to wait; 0: the push is sent. */
    async wait(push = bank, sessionId: string = randomUUID()): Promise<number> {
      const admitted = givenBackOnFailure(() => limits.admit({ ...push, sessionId }));
      const error = await admitted.then(
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
    const { wait, ended } = world();
    for (let each = 0; each < 20; each += 1) {
      expect(await wait(bank, `session ${each}`)).to.equal(0);
      await ended(`session ${each}`, 'OK');
    }
  });

  it('are not sent while too many are unanswered', async () => {
    const { wait, known, refused } = world({ running: 5 });
    known.running = runningOf('a', 'a', 'b', 'b', 'c');
    expect(await wait()).to.be.above(0);
    known.running = runningOf('a', 'a', 'b', 'b');
    expect(await wait()).to.equal(0);
    expect(refused).to.deep.equal(['RUNNING']);
  });

  it('back off exponentially after refusals, up to an hour, until one is confirmed', async () => {
    const { wait, recordEnding, clock } = world();
    const waits: number[] = [];
    for (let each = 0; each < 11; each += 1) {
      recordEnding(each % 2 === 0 ? 'USER_REFUSED' : 'WRONG_VC');
      const seconds = await wait();
      waits.push(seconds);
      clock.advance(seconds * 1000);
    }
    expect(waits).to.deep.equal([10, 0, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600]);
    recordEnding('OK');
    expect(await wait()).to.equal(0);
    recordEnding('USER_REFUSED');
    expect(await wait()).to.equal(10);
  });

  it('take one wrong code for a slip, from the second in a row on for guessing', async () => {
    const { wait, recordEnding, clock, refused, admit } = world();
    recordEnding('WRONG_VC');
    expect(await wait()).to.equal(0);
    clock.advance(1000);
    recordEnding('WRONG_VC');
    expect(await wait()).to.equal(10);
    expect(refused).to.deep.equal(['WRONG_CODES']);
    expect(String(await rejection(admit({ ...bank, sessionId: 'one' })))).to.contain('wrong');
    recordEnding('OK');
    recordEnding('WRONG_VC');
    expect(await wait(), 'a slip after what was confirmed').to.equal(0);
  });

  it('that the citizen asked for are not limited by refusals before', async () => {
    const { wait, recordEnding, admit } = world();
    recordEnding('USER_REFUSED_NOT_ME');
    expect(await wait()).to.be.above(0);
    await admit({ ...bank, sessionId: 'wanted' }, true);
  });

  it('take "the code is another", said where there is none to choose, for a refusal', async () => {
    const { wait, recordEnding } = world();
    recordEnding('WRONG_VC', plain);
    expect(await wait()).to.equal(10);
  });

  it('do not back off because a phone did not answer', async () => {
    const { wait, recordEnding } = world();
    recordEnding('TIMEOUT');
    expect(await wait()).to.equal(0);
  });

  it('are blocked for a day by "It was not me", whatever was confirmed since', async () => {
    const { wait, recordEnding, clock, refused } = world();
    recordEnding('USER_REFUSED_NOT_ME');
    clock.advance(1000);
    recordEnding('OK');
    expect(await wait()).to.equal(86_399);
    clock.advance(86_399_000);
    expect(await wait()).to.equal(0);
    expect(refused).to.deep.equal(['NOT_ME']);
  });

  it('are sent again once the citizen took "It was not me" back, until it is said again', async () => {
    const { wait, recordEnding, clock, allowed } = world();
    recordEnding('USER_REFUSED_NOT_ME');
    clock.advance(1000);
    expect(await wait()).to.equal(86_399);
    allowed.since = clock.now().toISOString();
    expect(await wait()).to.equal(0);
    clock.advance(1000);
    recordEnding('USER_REFUSED_NOT_ME');
    expect(await wait()).to.equal(86_400);
  });

  it('tell the relying party what to do', async () => {
    const { admit, recordEnding } = world();
    recordEnding('USER_REFUSED_NOT_ME');
    expect(String(await rejection(admit({ ...bank, sessionId: 'one' })))).to.contain('device link');
  });

  it('N4: are at most two unanswered of one relying party, also when sent at once', async () => {
    const { wait, known, refused } = world({ running: 5 }, { citizen: 50, relyingParty: 50 });
    known.running = runningOf('bank', 'bank');
    expect(await wait()).to.equal(30);
    known.running = [];
    const waits = await Promise.all(Array.from({ length: 6 }, () => wait()));
    expect(waits.filter((seconds) => seconds === 0)).to.have.length(2);
    expect(new Set(refused)).to.deep.equal(new Set(['RUNNING_OF_RELYING_PARTY']));
  });

  it('N4: always have one place for a relying party that has none', async () => {
    const { wait, refused } = world({ running: 5 }, { citizen: 50, relyingParty: 50 });
    const of = (relyingPartyId: string) => wait({ ...bank, relyingPartyId });
    const many = ['a', 'a', 'a', 'b', 'b', 'b', 'c', 'c'];
    const waits: number[] = [];
    for (const each of many) waits.push(await of(each));
    expect(waits).to.deep.equal([0, 0, 30, 0, 0, 30, 0, 30]);
    expect(refused.at(-1)).to.equal('RUNNING');
  });

  it('A: do not count as running once this process saw them end, however late the read models are', async () => {
    const { wait, known, ended } = world({ running: 5 });
    known.running = runningOf('bank', 'bank');
    expect(await wait()).to.equal(30);
    await ended('bank 0', 'OK');
    expect(await wait()).to.equal(0);
  });

  it('A: do not count as running once they ended by the log, whatever read models and other processes show', async () => {
    const { wait, known, logged } = world({ running: 5 });
    known.running = runningOf('bank', 'bank');
    logged.ends.set('bank 1', 'OK');
    expect([await wait(), await wait()]).to.deep.equal([0, 30]);
  });

  it('A: wait for answers that the log could not take, instead of being refused for them', async () => {
    const { wait, known, logged, refused } = world({ running: 5 });
    known.running = runningOf('bank', 'bank');
    logged.late.asks = Infinity;
    const waiting = wait();
    await until(() => logged.asked >= 4);
    logged.ends.set('bank 0', 'OK');
    expect([await waiting, refused]).to.deep.equal([0, []]);
  });

  it('A: are refused with 503 by an outage in which nobody knows what was answered', async () => {
    const { admit, known, logged, refused } = world({ running: 5 });
    known.running = runningOf('bank', 'bank');
    logged.isOut = true;
    expect(await rejection(admit({ ...bank, sessionId: 'one' }))).to.be.instanceOf(Unavailable);
    expect(refused).to.deep.equal([]);
  });

  it('A: are refused with 429 where the log is slow for good, with 503 where it stays away', async () => {
    const { admit, known, logged, look, refused } = world({ running: 5 });
    known.running = runningOf('bank', 'bank');
    look.ms = 2001;
    const errors: unknown[] = [];
    for (const by of ['SLOW', 'AWAY'] as const) {
      logged.late = { asks: Infinity, by };
      logged.asked = 0;
      errors.push(await rejection(admit({ ...bank, sessionId: by })), logged.asked / 2);
    }
    expect(errors[0]).to.include({ code: 'RATE_LIMITED' });
    expect(errors[2]).to.be.instanceOf(Unavailable);
    expect([errors[1], errors[3]], 'looks').to.deep.equal([2, 4]);
    expect(refused).to.deep.equal(['RUNNING_OF_RELYING_PARTY']);
  });

  it('N4: are at most two unanswered of one relying party, too, while the log catches up', async () => {
    const { wait, logged, refused } = world({ running: 5 }, { citizen: 50, relyingParty: 50 });
    logged.late.asks = 8;
    const waits = await Promise.all(Array.from({ length: 6 }, () => wait()));
    expect(waits.sort((one, other) => one - other)).to.deep.equal([0, 0, 30, 30, 30, 30]);
    expect(new Set(refused)).to.deep.equal(new Set(['RUNNING_OF_RELYING_PARTY']));
  });

  it('N4: leave one of the minute to a relying party that sent none', async () => {
    const { wait } = world({}, { citizen: 5, relyingParty: 3 });
    const of = (relyingPartyId: string) => wait({ ...bank, relyingPartyId });
    const waits: number[] = [];
    for (const each of ['a', 'a', 'a', 'b', 'b', 'bank']) waits.push(await of(each));
    expect(waits).to.deep.equal([0, 0, 0, 0, 60, 0]);
  });

  it('a3: have no limits for a test citizen', async () => {
    const { wait, recordEnding } = world({ running: 1 });
    recordEnding('USER_REFUSED_NOT_ME');
    const citizen = { ...bank, civilId: '110000000009' };
    const waits = await Promise.all(Array.from({ length: 20 }, () => wait(citizen)));
    expect(waits.every((seconds) => seconds === 0)).to.equal(true);
  });

  it('a3: are refused with the limit, its setting and its end', async () => {
    const { admit, recordEnding } = world();
    recordEnding('USER_REFUSED');
    const { detail } = (await rejection(admit({ ...bank, sessionId: 'one' }))) as Refusal;
    expect(detail).to.match(
      /^The citizen refused.* SVC_PUSH_BACK_OFF until 2026-06-01T00:00:10\.000Z\.$/,
    );
  });

  it('O12: do not count once confirmed at another process, and are taken back once', async () => {
    const { wait, ended } = world({}, { citizen: 50, relyingParty: 2 });
    expect(await wait(bank, 'one')).to.equal(0);
    expect(await wait(bank, 'two')).to.equal(0);
    await ended('of another process', 'OK');
    expect(await wait()).to.equal(60);
    await ended('one', 'OK');
    await ended('one', 'OK');
    expect(await wait()).to.equal(0);
    expect(await wait()).to.equal(60);
  });
});
