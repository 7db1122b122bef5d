import { expect } from 'chai';
import { createLogDisturbances } from '../../infrastructure/telemetry/logDisturbances.ts';
import { RevisionConflict, Unavailable } from '../../application/ports/faults.ts';
import { rejection } from '../support/assertions/rejection.ts';

function world() {
  const time = { now: 0 };
  const disturbances = createLogDisturbances(() => time.now);
  return {
    ...disturbances,
    pass: (ms: number) => {
      time.now += ms;
    },
    /** A call that takes so long. */
    call: (ms: number) =>
      disturbances.noting(() => {
        time.now += ms;
        return Promise.resolve('answer');
      }),
  };
}

describe('A: disturbances of the log', () => {
  it('are calls that take long, for some seconds after their end', async () => {
    const { call, pass, current } = world();
    expect([await call(300), current()]).to.deep.equal(['answer', null]);
    expect([await call(3000), current()]).to.deep.equal(['answer', 'SLOW']);
    pass(4999);
    expect(current()).to.equal('SLOW');
    pass(1);
    expect(current()).to.equal(null);
  });

  it('are calls that wait, too: a new leader answers reads before it takes what waits to be written', async () => {
    const { noting, call, pass, current } = world();
    const answer = Promise.withResolvers<null>();
    const waiting = noting(() => answer.promise);
    expect(current()).to.equal(null);
    pass(301);
    await call(5);
    expect(current()).to.equal('SLOW');
    answer.resolve(null);
    await waiting;
  });

  it('are worst where it takes as long as a log that is away, of several the worst', async () => {
    const { call, pass, current } = world();
    expect([await call(3001), current()]).to.deep.equal(['answer', 'AWAY']);
    pass(4000);
    expect([await call(301), current()]).to.deep.equal(['answer', 'AWAY']);
    pass(1000);
    expect(current()).to.equal('SLOW');
  });

  it('are outages, and no conflicts', async () => {
    const { noting, current } = world();
    await rejection(noting(() => Promise.reject(new RevisionConflict('session-1'))));
    expect(current()).to.equal(null);
    await rejection(noting(() => Promise.reject(new Unavailable('eventStore'))));
    expect(current()).to.equal('AWAY');
  });
});
