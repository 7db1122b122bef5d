import { expect } from 'chai';
import { createClockTrust } from '../../infrastructure/system.ts';

describe('Trust in a clock', () => {
  let wall: number;
  let elapsed: number;
  const pass = (ms: number) => {
    wall += ms;
    elapsed += ms;
  };

  function trust() {
    wall = Date.parse('2026-01-01T00:00:00Z');
    elapsed = 5000;
    return createClockTrust({
      clock: { now: () => new Date(wall) },
      reference: 'a reference',
      freshMs: 60_000,
      monotonic: () => elapsed,
    });
  }

  it('needs a comparison', () => {
    expect(trust().fault()).to.equal('The clock has not been compared with a reference yet.');
  });

  it('lasts while the offset and what it may be wrong by are within a second', () => {
    const clock = trust();
    for (const [offsetMs, uncertaintyMs, isTrusted] of [
      [0, 0, true],
      [-999, 1, true],
      [600, 401, false],
      [1001, 0, false],
      [-1001, 0, false],
    ] as const) {
      clock.compared({ offsetMs, uncertaintyMs });
      expect(clock.fault() === null, `${offsetMs} ± ${uncertaintyMs}`).to.equal(isTrusted);
    }
    expect(clock.fault()).to.equal('The clock is 1.0 s behind a reference.');
  });

  it('ends with a change of the clock at once, and comes back with it', () => {
    const clock = trust();
    clock.compared({ offsetMs: 0, uncertaintyMs: 10 });
    pass(10_000);
    wall += 1500;
    expect(clock.fault()).to.equal('The clock is 1.5 s ahead of a reference.');
    wall -= 1500;
    expect(clock.fault()).to.equal(null);
  });

  it('ends when no comparison succeeds any more, and does not live on uncertain ones', () => {
    const clock = trust();
    clock.compared({ offsetMs: 0, uncertaintyMs: 10 });
    pass(59_000);
    expect(clock.fault()).to.equal(null);
    clock.compared({ offsetMs: 0, uncertaintyMs: 501 });
    pass(2000);
    expect(clock.fault()).to.equal('The clock was last compared with a reference 61 s ago.');
    clock.compared({ offsetMs: 0, uncertaintyMs: 10 });
    expect(clock.fault()).to.equal(null);
  });
});
