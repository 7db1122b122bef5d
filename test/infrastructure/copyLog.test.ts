import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import type pg from 'pg';
import { createLogCopy, type LogCopyOptions, NotACopy } from '../../application/log/copyLog.ts';
import type { EventLog, LoggedEvent } from '../../application/ports/eventLog.ts';
import { Unavailable } from '../../application/ports/faults.ts';
import type { CopyDestination, MovedEvent } from '../../application/log/ports/logCopy.ts';
import {
  createEventStoreDbDestination,
  createPostgresDestination,
} from '../../infrastructure/eventstore/copyDestinations.ts';
import { createMemoryEventLog } from '../support/doubles/memoryEventLog.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { anEvent } from '../contracts/eventLogContract.ts';
import { rootsOver, wholeLog } from '../support/worlds/auditTreeWorld.ts';
import { migratedDatabase, startPostgresEventLog } from '../support/events/eventLogs.ts';
import {
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { createPatientLog } from '../support/eventStoreDb/patientLog.ts';
import { until } from '../support/assertions/waiting.ts';

interface OpenedLog {
  readonly log: EventLog;
  readonly destination: CopyDestination;
  /** Of a log in PostgreSQL. */
  readonly pool?: pg.Pool;
  /** Of a log in EventStoreDB. */
  readonly double?: EventStoreDbDouble;
  stop(): Promise<unknown>;
}

const stores: Readonly<Record<string, () => Promise<OpenedLog>>> = {
  memory: () => {
    const log = createMemoryEventLog();
    const destination: CopyDestination = {
      ...log,
      async appendCopies(events) {
        for (const event of events) {
          const expected = event.revision === 0n ? 'none' : event.revision - 1n;
          await log.append(event.stream, [event], expected);
        }
      },
    };
    return Promise.resolve({ log, destination, stop: () => Promise.resolve() });
  },
  PostgreSQL: async () => {
    const url = await migratedDatabase();
    const log = await startPostgresEventLog({ url });
    const pool = createPool({ url });
    const destination = createPostgresDestination(log, url);
    const stop = async () => {
      await destination.close();
      await log.stop();
      await pool.end();
    };
    return { log, destination, pool, stop };
  },
  EventStoreDB: async () => {
    const double = await startEventStoreDbDouble({ nodes: 3 });
    const log = createPatientLog(double.url);
    await log.start();
    const destination = createEventStoreDbDestination(log, double.url);
    const stop = async () => {
      await destination.close();
      await log.stop();
      await double.stop();
    };
    return { log, destination, double, stop };
  },
};

/** Parts of an event that a copy must preserve. */
const content = ({ stream, revision, id, type, data, metadata }: LoggedEvent) => ({
  stream,
  revision,
  id,
  type,
  data,
  metadata,
});

async function contents(log: EventLog) {
  return (await wholeLog(log)).map(content);
}

/** Appends to one of few streams each, so that streams take turns. */
async function fill(log: EventLog, turns: readonly { stream: number; texts: string[] }[]) {
  for (const { stream, texts } of turns) {
    const events = texts.map((text) => anEvent({ text }, `T${text.length}`));
    await log.append(`session-${stream}`, events, 'any');
  }
}

const turn = fc.record({
  stream: fc.nat(3),
  texts: fc.array(
    fc.string({ unit: 'binary', maxLength: 12 }).filter((t) => !t.includes('\0')),
    {
      minLength: 1,
      maxLength: 4,
    },
  ),
});

/** Appends some of the events only, and fails then: what is left by a process that is killed. */
function failingAfter(destination: CopyDestination, events: number): CopyDestination {
  let left = events;
  return {
    ...destination,
    async appendCopies(copies) {
      const some = copies.slice(0, left);
      left -= some.length;
      if (some.length > 0) await destination.appendCopies(some);
      if (some.length < copies.length) throw new Error('killed');
    },
  };
}

describe('A copy of a log', function () {
  this.timeout(60_000);
  const opened: OpenedLog[] = [];

  async function open(store: string): Promise<OpenedLog> {
    const one = await stores[store]?.();
    if (one === undefined) throw new Error('no such store');
    opened.push(one);
    return one;
  }

  const copy = ({ log }: OpenedLog, { destination }: OpenedLog, more?: Partial<LogCopyOptions>) =>
    createLogCopy({ source: log, destination, ...more });

  const closeAll = () => Promise.all(opened.splice(0).map((one) => one.stop()));

  afterEach(closeAll);

  for (const [from, to] of [
    ['memory', 'memory'],
    ['PostgreSQL', 'EventStoreDB'],
    ['EventStoreDB', 'PostgreSQL'],
  ] as const) {
    it(`from ${from} to ${to} is the log, wherever it was killed before and however long the log has grown`, async () => {
      const scenario = fc.record({
        turns: fc.array(turn, { minLength: 1, maxLength: 12 }),
        later: fc.array(turn, { maxLength: 3 }),
        kills: fc.array(fc.nat(8), { maxLength: 3 }),
        step: fc.integer({ min: 1, max: 9 }),
      });
      await fc.assert(
        fc.asyncProperty(scenario, async ({ turns, later, kills, step }) => {
          // Those of the run before would keep the machine busy.
          await closeAll();
          const [source, destination] = [await open(from), await open(to)];
          await fill(source.log, turns);
          for (const events of kills) {
            const killed = { destination: failingAfter(destination.destination, events), step };
            await copy(source, destination, killed)
              .catchUp()
              .catch((error: unknown) => expect(error).to.have.property('message', 'killed'));
          }
          const moved: MovedEvent[] = [];
          const onEqual = (events: readonly MovedEvent[]) => {
            moved.push(...events);
            return Promise.resolve();
          };
          const going = copy(source, destination, { step, onEqual });
          await going.catchUp();
          await fill(source.log, later);
          const { records, sourceRoot, destinationRoot } = await going.catchUp();

          const events = await wholeLog(source.log);
          const copies = await wholeLog(destination.log);
          expect(copies.map(content)).to.deep.equal(events.map(content));
          expect(records).to.equal(events.length);
          expect(sourceRoot.equals(rootsOver(events).at(-1) ?? Buffer.of())).to.equal(true);
          expect(destinationRoot.equals(sourceRoot)).to.equal(true);
          expect(moved).to.deep.equal(
            events.map(({ id, position }, index) => ({
              index,
              id,
              source: position,
              destination: copies[index]?.position,
            })),
          );
        }),
        // Without shrinking, which would take longer than the test may, and hide what failed.
        { numRuns: from === 'memory' ? 60 : 12, endOnFailure: true },
      );
    });
  }

  it('goes on after an outage of the destination, whether or not the events were stored', async () => {
    const [source, destination] = [await open('memory'), await open('PostgreSQL')];
    await fill(source.log, [{ stream: 1, texts: ['a', 'b', 'c', 'd', 'e'] }]);
    const outcomes = ['lost', 'stored', 'lost', 'stored'];
    const flaky: CopyDestination = {
      ...destination.destination,
      async appendCopies(events) {
        const outcome = outcomes.shift();
        if (outcome !== 'lost') await destination.destination.appendCopies(events);
        if (outcome !== undefined) throw new Unavailable('eventStore');
      },
    };
    let interruptions = 0;
    const onInterrupted = () => (interruptions += 1);
    await copy(source, destination, { destination: flaky, step: 2, onInterrupted }).catchUp();
    expect(interruptions).to.equal(4);
    expect(await contents(destination.log)).to.deep.equal(await contents(source.log));
  });

  describe('to a cluster of EventStoreDB', () => {
    const turns = Array.from({ length: 30 }, (_, at) => ({ stream: at % 5, texts: [`${at}`] }));
    let source: OpenedLog;
    let there: OpenedLog;
    let double: EventStoreDbDouble;

    beforeEach(async () => {
      source = await open('memory');
      there = await open('EventStoreDB');
      if (there.double === undefined) throw new Error('no double');
      ({ double } = there);
      await fill(source.log, turns);
    });

    it('goes on wherever the connection breaks', async () => {
      for (let messages = 2; messages < 40; messages += 5) {
        await fill(source.log, turns.slice(0, 10));
        const broken = double.disconnectAfter(messages);
        await copy(source, there, { step: 7 }).catchUp();
        expect(await contents(there.log)).to.deep.equal(await contents(source.log));
        await readUntil(broken);
      }
    });

    it('resumes at the next leader, whatever became of appends in flight', async () => {
      double.failAppends('timeoutStored');
      double.failAppends('answerLost');
      await copy(source, there, { step: 7 }).catchUp();
      await fill(source.log, turns);
      double.resign();
      await copy(source, there, { step: 7 }).catchUp();
      expect(await contents(there.log)).to.deep.equal(await contents(source.log));
    });

    it('names what a server put out of order that refused one append and took the next', async () => {
      double.failAppends('tooBusy');
      const refused = await rejection(copy(source, there).catchUp());
      expect(refused).to.be.instanceOf(NotACopy);
      expect(refused)
        .to.have.property('message')
        .that.matches(/in another order.*--one-by-one/);
    });

    it('is in order on that server, too, when appends go one by one', async () => {
      double.failAppends('tooBusy', 3);
      const destination = createEventStoreDbDestination(there.log, double.url, 1);
      await copy(source, there, { destination, step: 7 }).catchUp();
      await destination.close();
      expect(await contents(there.log)).to.deep.equal(await contents(source.log));
    });

    /** Reads until what a test planted has happened. */
    async function readUntil(happened: Promise<void>): Promise<void> {
      let isOver = false;
      void happened.then(() => (isOver = true));
      await until(async () => {
        await wholeLog(there.log);
        return isOver;
      });
    }
  });

  it('is stopped between two steps, and said to be so', async () => {
    const [source, destination] = [await open('memory'), await open('memory')];
    await fill(source.log, [{ stream: 1, texts: ['a', 'b', 'c'] }]);
    const ending = new AbortController();
    const onEqual = () => {
      ending.abort(new Error('enough'));
      return Promise.resolve();
    };
    const stopped = copy(source, destination, { step: 1, onEqual, signal: ending.signal });
    expect(await rejection(stopped.catchUp())).to.have.property('message', 'enough');
    expect(await contents(destination.log)).to.have.lengthOf(1);
  });

  describe('is refused', () => {
    async function copied(): Promise<{ source: OpenedLog; destination: OpenedLog }> {
      const [source, destination] = [await open('memory'), await open('PostgreSQL')];
      await fill(source.log, [
        { stream: 1, texts: ['a', 'b'] },
        { stream: 2, texts: ['c'] },
        { stream: 1, texts: ['d'] },
      ]);
      await copy(source, destination).catchUp();
      return { source, destination };
    }

    async function refusalOf(source: OpenedLog, destination: OpenedLog): Promise<string> {
      const refused = await rejection(copy(source, destination).catchUp());
      expect(refused).to.be.instanceOf(NotACopy);
      return (refused as Error).message;
    }

    for (const [column, value] of [
      ['data', '{"text":"C"}'],
      ['metadata', '{"test":false}'],
      ['type', 'T2'],
      ['stream', 'session-3'],
    ] as const) {
      it(`when ${column} of an event was changed, which is named`, async () => {
        const { source, destination } = await copied();
        const [, , event] = await wholeLog(destination.log);
        await destination.pool?.query(`update event set ${column} = $1 where position = 3`, [
          value,
        ]);
        const stream = column === 'stream' ? value : 'session-2';
        expect(await refusalOf(source, destination)).to.equal(
          `Event 2 differs in the destination: ${stream}/0 (position 3, id ${event?.id}) differs from the source in ${column}.`,
        );
      });
    }

    it('when an event is missing in the middle', async () => {
      const { source, destination } = await copied();
      await destination.pool?.query('delete from event where position = 3');
      expect(await refusalOf(source, destination)).to.match(
        /^Event 2 differs in the destination: it has session-1\/2 .* instead of session-2\/0 /,
      );
    });

    it('when two events have changed places', async () => {
      const { source, destination } = await copied();
      for (const [from, to] of [
        [3, 9],
        [4, 3],
        [9, 4],
      ]) {
        await destination.pool?.query('update event set position = $2 where position = $1', [
          from,
          to,
        ]);
      }
      expect(await refusalOf(source, destination)).to.match(/^Event 2 .* in another order/);
    });

    it('when the destination holds another log, or more than the source', async () => {
      const { source, destination } = await copied();
      const other = await open('memory');
      await fill(other.log, [{ stream: 1, texts: ['a', 'b'] }]);
      expect(await refusalOf(other, destination)).to.match(/^Event 0 .* Name an empty destination/);
      await destination.log.append(`session-${randomUUID()}`, [anEvent()], 'none');
      expect(await refusalOf(source, destination)).to.match(
        /^The destination has more events than the source: after 4 equal events comes session-/,
      );
    });

    it('when the source goes on behind an end that only the copy has', async () => {
      const { source, destination } = await copied();
      const end = anEvent({}, 'End');
      await destination.log.append('log-1', [end], 'none');
      const ended = copy(source, destination, { isSurplus: ({ type }) => type === 'End' });
      expect((await ended.catchUp()).surplus?.id).to.equal(end.id);
      expect((await ended.catchUp()).records).to.equal(4);
      await fill(source.log, [{ stream: 5, texts: ['late'] }]);
      expect(await rejection(ended.catchUp()))
        .to.have.property('message')
        .that.matches(/^The source got new events after the copy was finished: session-5\/0/);
    });
  });
});
