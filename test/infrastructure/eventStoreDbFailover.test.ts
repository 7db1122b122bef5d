import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import { EventStoreDBClient } from '@eventstore/db-client';
import { expect } from 'chai';
import type { Appended, EventLog, ExpectedRevision } from '../../application/ports/eventLog.ts';
import { Overloaded, RevisionConflict, Unavailable } from '../../application/ports/faults.ts';
import {
  createEventStoreDbEventLog,
  type EventStoreDbEventLog,
} from '../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { anEvent, collect, readAll } from '../contracts/eventLogContract.ts';
import {
  type AppendFault,
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { createPatientLog } from '../support/eventStoreDb/patientLog.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';

describe('EventStoreDB event log through failures', function () {
  this.timeout(60_000);
  let double: EventStoreDbDouble;
  let log: EventStoreDbEventLog;

  beforeEach(async () => {
    double = await startEventStoreDbDouble({ nodes: 3 });
    log = createPatientLog(double.url);
    await log.start();
  });

  afterEach(async () => {
    await log.stop();
    await double.stop();
  });

  const connections = () => double.nodes.reduce((sum, node) => sum + node.connections, 0);
  const leadingNode = () => double.leader ?? 0;

  /** Appends to twenty streams, of both kinds, while something happens; what was acknowledged is there, once, in order. */
  async function expectNothingLost(happen: () => unknown): Promise<void> {
    const seen = collect(log, { after: await log.head() });
    await seen.caughtUp;
    const acknowledged: Appended[] = [];
    const write = async (writer: number) => {
      let expected: ExpectedRevision = 'none';
      for (let round = 0; round < 10; round += 1) {
        const isJournal = writer % 2 === 0;
        const stream = isJournal ? 'access-today' : `session-${writer}`;
        const events = [anEvent({ writer, round }), anEvent({ writer, round })];
        const appended = await log.append(stream, events, isJournal ? 'any' : expected);
        acknowledged.push(appended);
        expected = appended.revision;
        if (writer === 0 && round === 4) await happen();
      }
    };
    await Promise.all(Array.from({ length: 20 }, (_, writer) => write(writer)));

    await until(() => seen.events.length >= 400);
    await seen.stop();
    expect(acknowledged).to.have.lengthOf(200);
    expect(new Set(seen.events.map(({ id }) => id)).size).to.equal(400);
    expect(seen.events).to.have.lengthOf(400);
    expect(await readAll(log, 'access-today')).to.have.lengthOf(200);
    for (let writer = 1; writer < 20; writer += 2) {
      expect(await readAll(log, `session-${writer}`)).to.have.lengthOf(20);
    }
    seen.events.reduce((before, event) => {
      expect(event.position > before.position).to.equal(true);
      return event;
    });
    // A frozen node does not notice a closed connection.
    for (const node of double.nodes.keys()) double.thaw(node);
    await until(() => connections() === 1);
    await log.check();
  }

  const happenings: Readonly<Record<string, () => unknown>> = {
    'nothing happens': () => undefined,
    'the leader resigns': () => double.resign(),
    'the leader is killed': () => double.kill(leadingNode()),
    'the leader freezes and another is elected': () => {
      const frozen = leadingNode();
      double.freeze(frozen);
      double.electLeader((frozen + 1) % 3);
    },
    'the leader freezes and thaws again after another was elected': async () => {
      const frozen = leadingNode();
      double.freeze(frozen);
      double.electLeader((frozen + 1) % 3);
      await until(() => isFine(log.check()));
      double.thaw(frozen);
    },
    'the quorum is lost and regained': async () => {
      double.loseQuorum();
      const failed = await rejection(shortLived((other) => other.start()));
      expect(failed).to.be.instanceOf(Unavailable);
      double.regainQuorum();
    },
    'every node is restarted': () => double.restart(),
    'no node answers for a while': async () => {
      await double.goAway();
      await rejection(shortLived((other) => other.start()));
      await double.comeBack();
    },
    'a former leader lags behind': () => {
      double.resign();
      for (const node of [0, 1, 2]) if (node !== double.leader) double.lag(node, 30);
    },
    'a new leader remembers no event ids': () => {
      double.rememberIds(false);
      double.failAppends('answerLost', 3);
    },
    'the server is too busy': () => double.failAppends('tooBusy', 10),
    'answers are lost on the way': () => double.failAppends('answerLost', 3),
    'requests are lost on the way': () => double.failAppends('requestLost', 3),
    'writes time out, though stored': () => double.failAppends('timeoutStored', 5),
    'writes time out, not stored': () => double.failAppends('timeoutNotStored', 5),
    'the leader changes behind a stored write': () => double.failAppends('leaderChangeStored'),
    'the leader changes before a write is stored': () =>
      double.failAppends('leaderChangeNotStored'),
    'the server never answers a stored write': () => double.failAppends('silenceStored', 2),
    'the server never answers a write': () => double.failAppends('silenceNotStored', 2),
    'the server is not ready': () => double.failAppends('notReady', 2),
    'success comes without a position': () => double.failAppends('noPosition', 5),
    'the server fails for a reason unknown': () => double.failAppends('unknown', 2),
  };
  for (const [what, happen] of Object.entries(happenings)) {
    it(`loses nothing, repeats nothing and keeps one connection when ${what}`, () =>
      expectNothingLost(happen));
  }

  it('loses nothing wherever a connection breaks', async () => {
    for (let messages = 1; messages <= 12; messages += 1) {
      const seen = collect(log, { after: await log.head() });
      const stream = `session-cut-${messages}`;
      let expected: ExpectedRevision = 'none';
      const cut = { isMade: false };
      void double.disconnectAfter(messages).then(() => (cut.isMade = true));
      let count = 0;
      while (!cut.isMade || count < 5) {
        expected = (await log.append(stream, [anEvent()], expected)).revision;
        count += 1;
      }
      expect(await readAll(log, stream)).to.have.lengthOf(count);
      await until(() => seen.events.length >= count);
      await seen.stop();
      expect(seen.events).to.have.lengthOf(count);
    }
  });

  it('reads at the leader of the moment, never at a follower that lags', async () => {
    for (let round = 0; round < 5; round += 1) {
      double.resign();
      for (const node of [0, 1, 2]) double.lag(node, node === double.leader ? null : 100);
      const stream = `session-${round}`;
      await log.append(stream, [anEvent()], 'none');
      const other = createPatientLog(double.url);
      await other.start();
      expect(await readAll(other, stream)).to.have.lengthOf(1);
      expect(await readAll(log, stream)).to.have.lengthOf(1);
      await other.stop();
    }
  });

  it('writes again after discovery failed for longer than any append waits', async () => {
    await withLog({ timeoutMs: 300 }, async (impatient) => {
      double.loseQuorum();
      const failed = await rejection(impatient.append('session-1', [anEvent()], 'none'));
      expect(failed).to.be.instanceOf(Unavailable);
      expect(await rejection(impatient.check())).to.be.instanceOf(Unavailable);

      double.regainQuorum();
      await until(() => isFine(impatient.check()));
      // One event, so that a repetition after 300 ms without an answer is the same append.
      const event = anEvent();
      await until(() => isFine(impatient.append('session-2', [event], 'none')));
    });
  });

  it('is not ready while its subscription does not advance', async () => {
    await log.check();
    double.freeze(leadingNode());
    expect(await rejection(log.check())).to.be.instanceOf(Unavailable);
  });

  const refusals: Readonly<Record<string, readonly [AppendFault, RegExp]>> = {
    'a right is missing': ['accessDenied', /unavailable/u],
    'the request is malformed': ['badRequest', /refused the events/u],
  };
  for (const [what, [fault, text]] of Object.entries(refusals)) {
    it(`does not repeat an append when ${what}`, async () => {
      double.failAppends(fault);
      const failed = await rejection(log.append('session-1', [anEvent()], 'none'));
      expect(String(failed)).to.match(text);
      await log.append('session-1', [anEvent()], 'none');
    });
  }

  it('refuses what is larger than the server takes, and a stream that was deleted', async () => {
    const large = anEvent({ text: 'x'.repeat(2 * 1024 * 1024) });
    const tooLarge = await rejection(log.append('session-1', [large], 'none'));
    expect(String(tooLarge)).to.contain('refused the events');
    await log.append('session-2', [anEvent()], 'none');
    double.tombstoneStream('session-2');
    const deleted = await rejection(log.append('session-2', [anEvent()], 'any'));
    expect(String(deleted)).to.contain('refused the events');
  });

  it('tells a conflict from every other failure', async () => {
    await log.append('session-1', [anEvent()], 'none');
    const failed = await rejection(log.append('session-1', [anEvent()], 'none'));
    expect(failed).to.be.instanceOf(RevisionConflict);
  });

  it('names the right that is missing', async () => {
    double.deny(({ operation, stream }) => operation === 'read' && stream === 'session-1');
    const reading = await rejection(readAll(log, 'session-1'));
    expect(causes(reading)).to.contain('the right read on session-1');
    double.deny(({ operation }) => operation === 'append');
    const writing = await rejection(log.append('session-1', [anEvent()], 'none'));
    expect(causes(writing)).to.contain('the right write on session-1');
    double.deny(({ operation }) => operation === 'read');
    const failed = await rejection(withLog({}, () => Promise.resolve()));
    expect(causes(failed)).to.contain('the right read on $all');
  });

  it('takes no more than its queue holds', async () => {
    double.loseQuorum();
    await withLogOn(double, { queueLimit: 2, timeoutMs: 500 }, async (small) => {
      const outcomes = await Promise.all(
        [1, 2, 3].map((n) => rejection(small.append(`session-${n}`, [anEvent()], 'none'))),
      );
      expect(outcomes.filter((outcome) => outcome instanceof Overloaded)).to.have.lengthOf(1);
    });
  });

  it('goes on behind a checkpoint whose event was scavenged', async () => {
    const checkpoints: bigint[] = [];
    for (let n = 0; n < 5; n += 1) {
      checkpoints.push((await log.append(`session-${n}`, [anEvent({ n })], 'none')).position);
    }
    double.scavenge(({ stream }) => stream === 'session-2');
    const seen = collect(log, { after: checkpoints[2] ?? null });
    await until(() => seen.events.length === 2);
    await seen.stop();
    expect(seen.events.map(({ data }) => data)).to.deep.equal(['{"n":3}', '{"n":4}']);
  });

  it('refuses to follow a log that lost what was read from it', async () => {
    const errors: unknown[] = [];
    await withLog({ onError: (cause) => errors.push(cause), timeoutMs: 1000 }, async (follower) => {
      const seen = collect(follower);
      for (let n = 0; n < 5; n += 1) await log.append(`session-${n}`, [anEvent()], 'none');
      await until(() => seen.events.length === 5);
      await double.truncate(seen.events[3]?.position ?? 0n);

      await until(() => errors.map(causes).some((text) => text.includes('the log ends at')));
      expect(await rejection(follower.check())).to.be.instanceOf(Unavailable);
      expect(await rejection(follower.append('session-x', [anEvent()], 'none'))).to.be.instanceOf(
        Unavailable,
      );
      await seen.stop();
    });
  });

  it('finds the end of the log in constant time behind thousands of events of the server', async () => {
    const { position } = await log.append('session-1', [anEvent()], 'none');
    double.appendSystemEvents(3000);
    const before = double.nodes[0]?.calls.read ?? 0;
    const head = await log.head();
    expect((head ?? 0n) > position).to.equal(true);
    expect((double.nodes[0]?.calls.read ?? 0) - before).to.be.at.most(3);
    const seen = collect(log, { after: position });
    await until(() => (seen.checkpoints.at(-1) ?? 0n) >= (head ?? 0n));
    await seen.stop();
    expect(seen.events).to.deep.equal([]);
  });

  it('F: is ready through a burst of events of the server, which are not sent to it', async () => {
    const single = await startEventStoreDbDouble();
    const counted = await startCountingProxy(single.nodes[0]?.port ?? 0);
    const follower = createEventStoreDbEventLog({
      url: `esdb://127.0.0.1:${counted.port}?tls=false`,
    });
    await follower.start();
    const seen = collect(follower);
    await seen.caughtUp;
    const before = counted.received();
    for (let burst = 0; burst < 12; burst += 1) {
      single.appendSystemEvents(333, 8192);
      await follower.check();
      const { position } = await follower.append(`session-${burst}`, [anEvent()], 'none');
      await until(() => (seen.checkpoints.at(-1) ?? 0n) >= position);
    }
    single.appendSystemEvents(7, 8192);
    await follower.check();
    const late = collect(follower);
    await late.caughtUp;
    expect(late.events).to.have.lengthOf(12);
    expect(seen.events).to.have.lengthOf(12);
    // Of 32 MB.
    expect(counted.received() - before).to.be.below(1_000_000);
    await Promise.all([seen.stop(), late.stop()]);
    await follower.stop();
    await counted.stop();
    await single.stop();
  });

  it('stores JSON as JSON for other clients, and anything else as bytes', async () => {
    await log.append('session-1', [anEvent({ a: 1 })], 'none');
    await log.append('session-1', [Object.assign(anEvent(), { data: 'no JSON' })], 0n);

    const client = EventStoreDBClient.connectionString(double.url);
    const found: unknown[] = [];
    for await (const { event } of client.readStream('session-1')) {
      found.push([event?.isJson, event?.isJson === true ? event.data : null, event?.metadata]);
    }
    await client.dispose();

    expect(found).to.deep.equal([
      [true, { a: 1 }, { test: true }],
      [false, null, { test: true }],
    ]);
    const read = await readAll(log, 'session-1');
    expect(read.map(({ data }) => data)).to.deep.equal(['{"a":1}', 'no JSON']);
  });

  function shortLived(use: (other: EventLog & { start(): Promise<void> }) => Promise<unknown>) {
    const other = createEventStoreDbEventLog({ url: double.url, timeoutMs: 200 });
    return use(other).finally(() => other.stop());
  }

  async function withLog(
    options: Partial<Parameters<typeof createEventStoreDbEventLog>[0]>,
    use: (other: EventStoreDbEventLog) => Promise<void>,
  ): Promise<void> {
    const other = createEventStoreDbEventLog({ url: double.url, ...options });
    try {
      await other.start();
      await use(other);
    } finally {
      await other.stop();
    }
  }
});

async function isFine(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

/** A log whose cluster loses its quorum right after it has connected. */
async function withLogOn(
  double: EventStoreDbDouble,
  options: { readonly queueLimit: number; readonly timeoutMs: number },
  use: (log: EventStoreDbEventLog) => Promise<void>,
): Promise<void> {
  const log = createEventStoreDbEventLog({ url: double.url, ...options });
  double.regainQuorum();
  await log.start();
  double.loseQuorum();
  try {
    await use(log);
  } finally {
    await log.stop();
    double.regainQuorum();
  }
}

/** Passes connections on, and counts the bytes that come back. */
async function startCountingProxy(port: number) {
  let received = 0;
  const open = new Set<Socket>();
  const server = createServer((client) => {
    const node = createConnection(port, '127.0.0.1');
    for (const socket of [client, node]) {
      open.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => open.delete(socket));
    }
    node.on('data', (chunk) => (received += chunk.length));
    client.pipe(node).pipe(client);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    received: () => received,
    stop: () => {
      for (const socket of open) socket.destroy();
      server.close();
      return Promise.resolve();
    },
  };
}

/** Messages of an error and of all its causes. */
function causes(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return `${error.message} ${error.cause === undefined ? '' : causes(error.cause)}`;
}
