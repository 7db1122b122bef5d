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
    const { call, pass, isCatchingUp } = world();
    expect([await call(300), isCatchingUp()]).to.deep.equal(['answer', false]);
    expect([await call(3000), isCatchingUp()]).to.deep.equal(['answer', true]);
    pass(4999);
    expect(isCatchingUp()).to.equal(true);
    pass(1);
    expect(isCatchingUp()).to.equal(false);
  });

  it('are calls that wait, too: a new leader answers reads before it takes what waits to be written', async () => {
    const { noting, call, pass, isCatchingUp } = world();
    const answer = Promise.withResolvers<null>();
    const waiting = noting(() => answer.promise);
    expect(isCatchingUp()).to.equal(false);
    pass(301);
    await call(5);
    expect(isCatchingUp()).to.equal(true);
    answer.resolve(null);
    await waiting;
  });

  it('are outages, and no conflicts', async () => {
    const { noting, isCatchingUp } = world();
    await rejection(noting(() => Promise.reject(new RevisionConflict('session-1'))));
    expect(isCatchingUp()).to.equal(false);
    await rejection(noting(() => Promise.reject(new Unavailable('eventStore'))));
    expect(isCatchingUp()).to.equal(true);
  });
});
