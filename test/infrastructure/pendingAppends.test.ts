import { expect } from 'chai';
import type { EncodedEvent, ExpectedRevision } from '../../application/ports/eventLog.ts';
import { RevisionConflict, Unavailable } from '../../application/ports/faults.ts';
import { appendFailure } from '../../infrastructure/eventstore/eventStoreDb/outcomes.ts';
import {
  mayBeStored,
  type PendingAppend,
  PendingAppends,
  refusalOf,
} from '../../infrastructure/eventstore/eventStoreDb/pendingAppends.ts';
import { partBatch } from '../../infrastructure/eventstore/groupCommitWriter.ts';

const nothing = () => undefined;

function append(stream: string, changes: Partial<PendingAppend> = {}): PendingAppend {
  return {
    stream,
    events: [],
    expected: 'none',
    resolve: nothing,
    reject: nothing,
    until: 9000,
    firstSentAt: null,
    lastSentAt: null,
    lastFailure: null,
    ...changes,
  };
}

const streams = (appends: readonly { readonly stream: string }[]) =>
  appends.map(({ stream }) => stream).join();

/** Appends that wait, of which `send` sends the next. */
function pendingOf(...appends: readonly PendingAppend[]) {
  const pending = new PendingAppends();
  for (const each of appends) pending.accept(each);
  return {
    pending,
    send: (now: number) => {
      const next = pending.next();
      if (next !== undefined) pending.sent(next.stream, next, now);
    },
  };
}

describe('Appends on their way to EventStoreDB', () => {
  it('given an answer, are in flight no more, and answered once', () => {
    const { pending, send } = pendingOf(append('a'));
    send(10);
    expect(pending.answered('a', 20)?.stream).to.equal('a');
    expect(pending.answered('a', 21)).to.equal(undefined);
    expect([pending.accepted, pending.settled()]).to.deep.equal([1, true]);
  });

  it('given another connection, are sent again in order, before those that wait', () => {
    const { pending, send } = pendingOf(append('a'), append('b'), append('c'));
    send(10);
    send(11);
    pending.reconnected();
    const next = [pending.next(), pending.next(), pending.next()];
    expect(next.map((each) => each?.stream)).to.deep.equal(['a', 'b', 'c']);
    expect(pending.answered('a', 20)).to.equal(undefined);
  });

  it('given their deadline, are late, sent or not', () => {
    const late = [append('a', { until: 50 }), append('b', { until: 50 })];
    const { pending, send } = pendingOf(...late, append('c'));
    send(10);
    expect(streams(pending.unanswered(50).late)).to.equal('b,a');
    expect(pending.next()?.stream).to.equal('c');
  });

  it('given a deadline of all, as at shutdown, are late', () => {
    const { pending } = pendingOf(append('a'));
    pending.deadline = 40;
    expect(streams(pending.unanswered(40).late)).to.equal('a');
  });

  it('given no answer for 3 s, are sent again, on a connection given up when it answers nothing', () => {
    const { pending, send } = pendingOf(append('a'), append('b'), append('c'));
    send(0);
    send(10);
    expect(pending.unanswered(2999)).to.deep.equal({ late: [], again: [], isSilent: false });
    pending.answered('b', 1000);
    const { again, isSilent } = pending.unanswered(3000);
    expect([streams(again), isSilent]).to.deep.equal(['a', false]);
    send(3000);
    expect(pending.unanswered(6000)).to.include({ isSilent: true });
  });

  it('given too many in flight, wait', () => {
    const { pending, send } = pendingOf(
      ...Array.from({ length: 513 }, (_, at) => append(`s${at}`)),
    );
    for (let at = 0; at < 513; at += 1) send(0);
    expect(pending.next()).to.equal(undefined);
    pending.answered('s0', 1);
    expect(pending.next()?.stream).to.equal('s512');
  });

  it('are looked for before they are sent again where nothing guards them', () => {
    const sent = { firstSentAt: 1, expected: 'any' as const };
    expect([mayBeStored(append('a', sent)), mayBeStored(append('a', { firstSentAt: 1 }))]).to.eql([
      true,
      false,
    ]);
    expect(mayBeStored(append('a', { expected: 'any' }))).to.equal(false);
  });

  it('are given up when refused, and sent again when the server cannot answer now', () => {
    const refusal = (outcome: Parameters<typeof appendFailure>[0]) =>
      refusalOf(append('a'), appendFailure(outcome));
    expect(refusal('WrongExpectedVersion')).to.be.instanceOf(RevisionConflict);
    expect(refusal('AccessDenied')).to.be.instanceOf(Unavailable);
    expect(refusal('Timeout')).to.equal(null);
  });
});

describe('A group commit', () => {
  const of = (stream: string, expected: ExpectedRevision, count = 1) => ({
    stream,
    expected,
    resolve: nothing,
    reject: nothing,
    events: Array.from({ length: count }, () => ({}) as EncodedEvent),
  });
  const parted = (...queue: readonly ReturnType<typeof of>[]) => {
    const { batch, left } = partBatch(queue, 3);
    return [streams(batch), streams(left)];
  };

  it('takes appends to different streams together', () => {
    expect(parted(of('a', 'none'), of('b', 4n))).to.deep.equal(['a,b', '']);
  });

  it('takes appends to one stream together only where they expect any revision', () => {
    expect(parted(of('a', 'any'), of('a', 'any'))).to.deep.equal(['a,a', '']);
    expect(parted(of('a', 'any'), of('a', 1n), of('a', 'any'))).to.deep.equal(['a', 'a,a']);
    expect(parted(of('a', 1n), of('a', 2n), of('b', 'none'))).to.deep.equal(['a,b', 'a']);
  });

  it('ends before it has more events than a commit may, and takes a larger append alone', () => {
    expect(parted(of('a', 'any', 2), of('b', 'any', 2), of('c', 'any'))).to.deep.equal([
      'a',
      'b,c',
    ]);
    expect(parted(of('a', 'any', 9))).to.deep.equal(['a', '']);
  });
});
