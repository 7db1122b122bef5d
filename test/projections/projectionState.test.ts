import { expect } from 'chai';
import {
  paceOf,
  PoisonEvent,
  ProjectionState,
  Superseded,
} from '../../projections/engine/checkpoints.ts';

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second));
const outage = new Error('away');
const fault = new Error('impossible row');

/** A projection that follows the log from position 4. */
function running(): ProjectionState {
  const state = new ProjectionState('sessions');
  state.began(4n);
  return state;
}

describe('The state of a projection', () => {
  it('given nothing, stands by and tries all parked rows at its beginning', () => {
    const state = new ProjectionState('sessions');
    expect(state.status(at(0))).to.deep.equal({
      name: 'sessions',
      state: 'STANDBY',
      position: null,
      fault: null,
      lagMs: 0,
    });
    expect(state.triesAll).to.equal(true);
  });

  it('given events, lags behind until it has caught up', () => {
    const state = running();
    state.fellBehind();
    state.advanced(5n, at(1).toISOString());
    expect(state.status(at(3))).to.include({ state: 'RUNNING', position: 5n, lagMs: 2000 });
    state.advanced(9n, null);
    expect(state.status(at(3))).to.include({ position: 9n, lagMs: 2000 });
    state.caughtUp();
    expect(state.status(at(3)).lagMs).to.equal(0);
  });

  it('given an outage, retries ever later, and from the beginning after an event was projected', () => {
    const state = running();
    const tries = () => state.failed(outage, true);
    state.advanced(5n, null);
    expect([tries(), tries(), tries()]).to.deep.equal(
      [1, 2, 3].map((count) => ({ kind: 'pause', tries: count })),
    );
    expect(state.status(at(0)).state).to.equal('RETRYING');
    state.began(5n);
    state.advanced(6n, null);
    expect(tries()).to.deep.equal({ kind: 'pause', tries: 1 });
  });

  it('given an outage, tries only the parked rows that an operator wants to be, after a repair all', () => {
    const state = running();
    state.failed(outage, true);
    expect(state.triesAll).to.equal(false);
    state.failed(fault, false);
    expect(state.triesAll).to.equal(true);
  });

  it('given a checkpoint moved by another, begins again at once', () => {
    const state = running();
    expect(state.failed(new Superseded(), false)).to.deep.equal({ kind: 'again' });
    expect(state.status(at(0)).state).to.equal('RUNNING');
  });

  it('given what cannot be projected, fails and names the event', () => {
    const state = running();
    expect(state.failed(fault, false)).to.deep.equal({ kind: 'fail', cause: fault, eventId: null });
    expect(state.failed(new PoisonEvent('e1', fault), false)).to.deep.equal({
      kind: 'fail',
      cause: fault,
      eventId: 'e1',
    });
    expect(state.status(at(0))).to.deep.include({
      state: 'FAILED',
      fault: { error: 'Error', eventId: 'e1' },
    });
    state.began(5n);
    expect(state.status(at(0)).fault).to.equal(null);
  });

  it('given another process, knows nothing of before', () => {
    const state = running();
    state.advanced(5n, at(1).toISOString());
    state.failed(outage, true);
    state.stoodBy();
    expect(state.status(at(9))).to.deep.equal(new ProjectionState('sessions').status(at(9)));
    expect(state.failed(outage, true)).to.deep.equal({ kind: 'pause', tries: 1 });
  });

  it('gathers logins longer, and what nobody waits for', () => {
    const login = [{ stream: 'session-1' }];
    const background = paceOf({ inBackground: true });
    expect(paceOf({ isBusy: true }).gatherMs(login)).to.be.above(paceOf({}).gatherMs(login));
    expect(background.gatherMs(login)).to.be.above(paceOf({}).gatherMs(login));
    expect(background.gatherMs(login)).to.equal(100);
    expect(
      background.gatherMs(Array.from({ length: 200 }, () => ({ stream: 'session-1' }))),
    ).to.equal(250);
    // An operator reads what they just did.
    expect(background.gatherMs([...login, { stream: 'operator-1' }])).to.be.lessThan(10);
  });
});
