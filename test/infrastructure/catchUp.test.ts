import { expect } from 'chai';
import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import {
  CatchUp,
  type CommittedBatch,
  LogEndsBeforeCheckpoint,
  Trail,
} from '../../infrastructure/eventstore/catchUp.ts';

const eventAt = (position: bigint, stream = 'session-1') => ({ position, stream }) as LoggedEvent;

function batch(previous: bigint, last: bigint, stream?: string): CommittedBatch {
  const events: LoggedEvent[] = [];
  for (let at = previous + 1n; at <= last; at += 1n) events.push(eventAt(at, stream));
  return { previous, last, events };
}

/** Name of the next step, with what it delivers or how long it rests. */
function said(state: CatchUp, now = 0): string {
  const step = state.next(now);
  if (step.kind === 'deliver') {
    return `deliver ${step.events.map(({ position }) => position).join()} up to ${step.upTo}`;
  }
  return step.kind === 'rest' ? `rest ${step.forMs}` : step.kind;
}

/** A subscription that has delivered everything up to a position. */
function caughtUpAt(
  position: bigint,
  options: Partial<ConstructorParameters<typeof CatchUp>[0]> = {},
): CatchUp {
  const state = new CatchUp({ after: position, ...options });
  state.foundHead(position);
  expect(said(state)).to.equal('caughtUp');
  return state;
}

describe('A subscription catching up', () => {
  it('given nothing known, looks for the head, and given a shorter log, ends', () => {
    const state = new CatchUp({ after: 5n });
    expect(said(state)).to.equal('lookForHead');
    expect(() => state.foundHead(4n)).to.throw(LogEndsBeforeCheckpoint);
  });

  it('given events before it, reads until it meets what it is offered, then delivers that', () => {
    const state = new CatchUp({ after: null });
    state.foundHead(3n);
    expect(state.offered(batch(3n, 5n))).to.equal(true);
    expect(said(state)).to.equal('read');
    state.delivered(3n, true);
    expect(said(state)).to.equal('deliver 4,5 up to 5');
    state.delivered(5n, true);
    expect([said(state), said(state)]).to.deep.equal(['caughtUp', 'rest undefined']);
  });

  it('given a page that reached beyond an offer, delivers each event once', () => {
    const state = new CatchUp({ after: 0n });
    state.foundHead(3n);
    state.offered(batch(3n, 5n));
    state.delivered(4n, true);
    expect(said(state)).to.equal('deliver 5 up to 5');
  });

  it('given offers that overlap, delivers each event once', () => {
    const state = caughtUpAt(5n);
    state.offered(batch(5n, 8n));
    state.offered(batch(7n, 9n));
    expect(said(state)).to.equal('deliver 6,7,8,9 up to 9');
  });

  it('given a gap before an offer, reads', () => {
    const state = caughtUpAt(5n);
    state.offered(batch(6n, 7n));
    expect(said(state)).to.equal('read');
  });

  it('given a position alone, reads up to it', () => {
    const state = caughtUpAt(5n);
    expect([state.moved(8n), state.moved(7n)]).to.deep.equal([true, false]);
    expect([said(state), state.known]).to.deep.equal(['read', 8n]);
  });

  it('given only events of others, reports its position after the interval, unwoken', () => {
    const state = caughtUpAt(5n, { categories: ['session'], reportEveryMs: 10 });
    state.reporting(100);
    expect(state.offered(batch(5n, 6n, 'device-1'))).to.equal(true);
    expect(said(state, 101)).to.equal('deliver  up to 6');
    expect(state.passed(6n, 101)).to.equal(false);
    expect(said(state, 103)).to.equal('rest 7');
    expect(state.offered(batch(6n, 7n, 'device-1'))).to.equal(false);
    expect(state.cursor).to.equal(7n);
    expect(said(state, 110)).to.equal('report');
    state.delivered(7n, false);
    expect(said(state, 111)).to.equal('rest undefined');
  });

  it('given an event of ours while it rests, is woken', () => {
    const state = caughtUpAt(5n, { categories: ['session'] });
    state.reporting(100);
    state.offered(batch(5n, 6n, 'device-1'));
    state.passed(6n, 101);
    expect(said(state, 101)).to.equal('rest 9');
    expect(state.offered(batch(6n, 7n))).to.equal(true);
    expect(said(state, 101)).to.equal('deliver 7 up to 7');
  });

  it('given more than a batch, hands it out in parts, the last at the position of the page', () => {
    const state = new CatchUp({ after: 0n, maxBatch: 2 });
    const parts = [...state.batches({ events: batch(0n, 3n).events, upTo: 9n })];
    expect(parts.map(({ events, upTo }) => [events.length, upTo])).to.deep.equal([
      [2, 2n],
      [1, 9n],
    ]);
  });

  it('given a filter, takes of a page what it wants', () => {
    const state = new CatchUp({ after: 0n, wants: (stream) => stream === 'session-1' });
    const events = [eventAt(1n), eventAt(2n, 'session-2')];
    expect(state.wanted({ events, upTo: 2n })).to.deep.equal([eventAt(1n)]);
  });
});

describe('The trail of a log', () => {
  it('drops what it kept rather than keep more events than it may', () => {
    const trail = new Trail(0n, 3);
    trail.keep(batch(0n, 2n));
    trail.keep(batch(2n, 4n));
    expect(trail.take()).to.equal(undefined);
    trail.cursor = 2n;
    expect(trail.take()).to.deep.equal(batch(2n, 4n));
  });

  it('keeps no commit that is larger than all it may keep', () => {
    const trail = new Trail(0n, 3);
    trail.keep(batch(0n, 4n));
    expect(trail.take()).to.equal(undefined);
  });

  it('joins commits of which nothing is wanted', () => {
    const trail = new Trail(0n);
    trail.keep(batch(0n, 1n));
    trail.keep({ previous: 1n, last: 2n, events: [] });
    trail.keep({ previous: 2n, last: 3n, events: [] });
    expect(trail.take()).to.deep.equal({ ...batch(0n, 1n), last: 3n });
  });

  it('has a gap up to the first commit kept, or to where the log reaches', () => {
    const trail = new Trail(4n);
    expect(trail.gap()).to.equal(null);
    trail.reaches(9n);
    expect(trail.gap()).to.equal(9n);
    trail.keep(batch(6n, 7n));
    expect(trail.gap()).to.equal(6n);
  });

  it('given up, is known to reach the later of what was kept and what was told', () => {
    const trail = new Trail(4n);
    trail.keep(batch(6n, 7n));
    expect(trail.giveUp()).to.equal(7n);
    trail.reaches(9n);
    expect(trail.giveUp()).to.equal(9n);
  });
});
