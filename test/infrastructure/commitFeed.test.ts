import { expect } from 'chai';
import type { LoggedEvent } from '../../application/ports/eventLog.ts';
import { createCommitFeed } from '../../infrastructure/eventstore/catchUp.ts';
import type { CommittedBatch } from '../../infrastructure/eventstore/catchUp.ts';
import { until } from '../support/http/http.ts';

const eventAt = (position: bigint) => ({ position }) as LoggedEvent;

function batch(previous: bigint, last: bigint): CommittedBatch {
  const events: LoggedEvent[] = [];
  for (let at = previous + 1n; at <= last; at += 1n) events.push(eventAt(at));
  return { previous, last, events };
}

/** A feed over a log that answers when told to. */
function openFeed() {
  const told: string[] = [];
  const reads: { readonly after: bigint; readonly upTo: bigint; fail(): void; answer(): void }[] =
    [];
  const feed = createCommitFeed({
    source: {
      readWindow: (after, upTo) =>
        new Promise((resolve, reject) => {
          reads.push({
            after,
            upTo,
            fail: () => reject(new Error('away')),
            answer: () => resolve(batch(after, upTo).events),
          });
        }),
    },
    offer: ({ previous, last, events }) => {
      expect(events.map(({ position }) => position)).to.deep.equal(
        batch(previous, last).events.map(({ position }) => position),
      );
      told.push(`${previous}-${last}`);
    },
    moved: (position) => told.push(`moved ${position}`),
  });
  const reading = (count: number) => until(() => reads.length === count);
  const toldOf = (...all: string[]) =>
    until(() => told.length >= all.length).then(() => expect(told).to.deep.equal(all));
  return { feed, reads, told, reading, toldOf };
}

describe('The feed of commits', () => {
  it('hands over what this process commits at once', () => {
    const { feed, reads, told } = openFeed();
    feed.committed(batch(3n, 5n));
    feed.committed(batch(5n, 6n));
    expect([told, reads.length]).to.deep.equal([['3-5', '5-6'], 0]);
  });

  it('begins with the first position it hears of', () => {
    const { feed, reads, told } = openFeed();
    feed.reached(7n);
    feed.committed(batch(7n, 8n));
    expect([told, reads.length]).to.deep.equal([['moved 7', '7-8'], 0]);
  });

  it('reads what others committed once, all that came meanwhile in the next read', async () => {
    const { feed, reads, reading, toldOf } = openFeed();
    feed.committed(batch(0n, 1n));
    for (const position of [3n, 4n, 9n, 9n]) feed.reached(position);
    expect(reads.map(({ after, upTo }) => [after, upTo])).to.deep.equal([[1n, 3n]]);
    reads[0]?.answer();
    await reading(2);
    reads[1]?.answer();
    await toldOf('0-1', '1-3', '3-9');
    expect(reads).to.have.lengthOf(2);
  });

  it('puts a commit acknowledged late before a later one that need not be read', async () => {
    const { feed, reads, reading, toldOf } = openFeed();
    feed.committed(batch(0n, 1n));
    feed.reached(3n);
    await reading(1);
    feed.committed(batch(5n, 6n));
    feed.committed(batch(3n, 5n));
    reads[0]?.answer();
    await toldOf('0-1', '1-3', '3-5', '5-6');
    expect(reads).to.have.lengthOf(1);
  });

  it('puts what this process commits behind what others did before', async () => {
    const { feed, reads, reading, toldOf } = openFeed();
    feed.committed(batch(0n, 1n));
    feed.committed(batch(4n, 6n));
    feed.committed(batch(6n, 7n));
    feed.reached(9n);
    await reading(1);
    expect([reads[0]?.after, reads[0]?.upTo]).to.deep.equal([1n, 4n]);
    reads[0]?.answer();
    await reading(2);
    reads[1]?.answer();
    await toldOf('0-1', '1-4', '4-6', '6-7', '7-9');
  });

  it('delivers no commit twice when its notification precedes its acknowledgement', async () => {
    const { feed, reads, toldOf } = openFeed();
    feed.committed(batch(0n, 1n));
    feed.reached(5n);
    feed.committed(batch(3n, 5n));
    feed.committed(batch(5n, 6n));
    reads[0]?.answer();
    await toldOf('0-1', '1-5', '5-6');
    expect(reads).to.have.lengthOf(1);
  });

  it('reads a commit skipped during a read, since a new subscription may select it', async () => {
    const { feed, reads, reading, toldOf } = openFeed();
    feed.committed(batch(0n, 1n));
    feed.reached(3n);
    await reading(1);
    feed.skipped({ previous: 3n, last: 4n });
    reads[0]?.answer();
    await reading(2);
    reads[1]?.answer();
    await toldOf('0-1', '1-3', '3-4');
  });

  it('leaves long stretches, and those it cannot read, to whoever follows', async () => {
    const { feed, reads, reading, told, toldOf } = openFeed();
    feed.committed(batch(0n, 1n));
    feed.reached(5002n);
    expect([told, reads.length]).to.deep.equal([['0-1', 'moved 5002'], 0]);
    feed.reached(5010n);
    feed.committed(batch(5012n, 5013n));
    await reading(1);
    reads[0]?.fail();
    await toldOf('0-1', 'moved 5002', 'moved 5013');
    feed.committed(batch(5013n, 5014n));
    await toldOf('0-1', 'moved 5002', 'moved 5013', '5013-5014');
  });
});
