import { randomUUID } from 'node:crypto';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expect } from 'chai';
import {
  type BatchCall,
  createProtocolClient,
  type Failure,
  type ProtocolClient,
  type ReadCall,
  type ReadMessage,
} from '../support/eventStoreDb/protocolClient.ts';
import {
  type AppendFault,
  type EventStoreDbDouble,
  startEventStoreDbDouble,
} from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { until } from '../support/assertions/waiting.ts';

const serverUrl = process.env['SVC_EVENTSTORE_URL'];
const asLeader = { requiresLeader: true };
/** -1 as an unsigned 64-bit number. */
const NOWHERE = 2n ** 64n - 1n;

protocol('EventStoreDB double', async () => {
  const double = await startEventStoreDbDouble();
  double.appendSystemEvents(3);
  return { address: addressOf(double, 0), stop: () => double.stop() };
});

// The bare client speaks neither TLS nor for a user.
const [, seed] = /^[a-z]+:\/\/([^,/?@]+)[^@]*tls=false/u.exec(serverUrl ?? '') ?? [];
if (seed !== undefined)
  protocol('EventStoreDB', async () => {
    const client = createProtocolClient(seed);
    const leader = (await client.gossip()).find(({ state }) => state === 'LEADER');
    client.close();
    return { address: leader?.address ?? seed, stop: () => Promise.resolve() };
  });

/** Conversations that a server and its double must answer alike, by a client of the bare protocol. */
function protocol(
  name: string,
  start: () => Promise<{ readonly address: string; stop(): Promise<void> }>,
): void {
  describe(`${name}, the protocol`, () => {
    let client: ProtocolClient;
    let batch: BatchCall;
    let stop: () => Promise<void>;
    let stream: string;
    let own: { readonly filter: { readonly regex: string } };

    beforeEach(async () => {
      const { address, stop: stopServer } = await start();
      client = createProtocolClient(address);
      batch = client.batchAppend(asLeader);
      stop = stopServer;
      stream = `tested-${randomUUID()}`;
      own = { filter: { regex: `^${stream}` } };
    });

    afterEach(async () => {
      client.close();
      await stop();
    });

    async function appended(...data: string[]): Promise<bigint[]> {
      await batch.append({ stream, events: data.map((text) => ({ data: text })) });
      return positions(await client.all({ stream }));
    }

    describe('an append', () => {
      it('is answered with the revision and position of its last event', async () => {
        const events = [{}, {}, {}];
        const answer = await batch.append({ stream, expected: 'noStream', events });
        const last = positions(await client.all({ stream })).at(-1);
        expect(answer).to.deep.equal({ kind: 'success', revision: 2n, position: last });
        const unary = await client.append({ stream, expected: 2n });
        expect(unary).to.include({ kind: 'success', revision: 3n });
      });

      it('gives back contents, their type and metadata as they were', async () => {
        const json = { type: 'One', data: '{ "a":1, "a":2 }', customMetadata: '{"b":null}' };
        const binary = { type: 'Two', data: '\u0000ө', contentType: 'application/octet-stream' };
        await batch.append({ stream, events: [json, binary] });
        const [one, two] = await client.all({ stream });
        expect(one).to.include({ ...json, contentType: 'application/json', revision: 0n });
        expect(two).to.include({ ...binary, customMetadata: '', revision: 1n });
      });

      for (const expected of ['noStream', 'any', 'streamExists'] as const)
        it(`is answered alike when repeated, expecting ${expected}`, async () => {
          const events = [{ id: randomUUID() }, { id: randomUUID() }];
          const first = await batch.append({ stream, events });
          await batch.append({ stream });
          expect(await batch.append({ stream, events, expected })).to.deep.equal(first);
          expect(await client.append({ stream, events, expected })).to.deep.equal(first);
        });

      it('is no repetition in another stream', async () => {
        const events = [{ id: randomUUID() }];
        await batch.append({ stream, events });
        const other = await batch.append({ stream: `${stream}-other`, events });
        expect(other).to.include({ kind: 'success', revision: 0n });
      });

      it('conflicts when part of it is a repetition', async () => {
        const known = { id: randomUUID() };
        await batch.append({ stream, events: [known, {}] });
        const conflict = { kind: 'wrongExpectedVersion', current: 1n };
        for (const expected of ['any', 'noStream'] as const)
          expect(await batch.append({ stream, expected, events: [known, {}] })).to.deep.equal(
            conflict,
          );
      });

      it('tells where the stream is when it is elsewhere', async () => {
        const nowhere = { kind: 'wrongExpectedVersion', current: null };
        expect(await batch.append({ stream, expected: 'streamExists' })).to.deep.equal(nowhere);
        expect(await batch.append({ stream, expected: 0n })).to.deep.equal(nowhere);
        await batch.append({ stream, events: [{}, {}] });
        const conflict = { kind: 'wrongExpectedVersion', current: 1n };
        for (const expected of ['noStream', 0n, 2n] as const) {
          expect(await batch.append({ stream, expected })).to.deep.equal(conflict);
          expect(await client.append({ stream, expected })).to.deep.equal(conflict);
        }
      });

      it('holds 1 MiB of contents, metadata and names, and not a byte more', async () => {
        const most = {
          type: 'tt',
          data: 'x'.repeat(1024 * 1024 - 14),
          customMetadata: '0123456789',
        };
        expect(await batch.append({ stream, events: [most] })).to.include({ kind: 'success' });
        const more = { ...most, customMetadata: '0123456789a' };
        expect(await batch.append({ stream, events: [more] })).to.deep.equal({
          kind: 'error',
          message: 'MaximumAppendSizeExceeded',
          code: 3,
          details: 'event_store.client.MaximumAppendSizeExceeded',
        });
        expect(await client.append({ stream, events: [more] })).to.deep.include({
          code: 'INVALID_ARGUMENT',
          details: 'Maximum Append Size of 1048576 Exceeded.',
        });
        expect(await client.all({ stream })).to.have.lengthOf(2);
      });

      it('needs a type', async () => {
        const answer = await batch.append({ stream, events: [{ type: '' }] });
        expect(answer).to.include({ kind: 'error', message: 'BadRequest' });
      });
    });

    describe('a stream', () => {
      it('is read in both directions, from anywhere, and tells its edges', async () => {
        await appended('0', '1', '2');
        const read = async (request: object) => short(await client.all({ stream, ...request }));
        expect(await read({ count: 2 })).to.deep.equal(['0', '1', 'last 2']);
        expect(await read({ from: 1n })).to.deep.equal(['1', '2', 'last 2']);
        expect(await read({ from: 9n })).to.deep.equal(['first 3', 'last 2']);
        const back = { backwards: true, count: 2 };
        expect(await read({ ...back, from: 'end' })).to.deep.equal(['2', '1', 'last 2']);
        expect(await read({ ...back, from: 1n })).to.deep.equal(['1', '0', 'last 2']);
        expect(await read({ ...back, from: 9n, count: 9 })).to.have.lengthOf(4);
      });

      it('longer than a page is read to its end', async () => {
        const data = Array.from({ length: 70 }, (_one, n) => String(n));
        await appended(...data);
        const forwards = short(await client.all({ stream }));
        expect(forwards).to.deep.equal([...data, 'last 69']);
        const backwards = short(await client.all({ stream, from: 'end', backwards: true }));
        expect(backwards).to.deep.equal([...data.toReversed(), 'last 69']);
      });

      it('that is none says so', async () => {
        expect(await client.all({ stream })).to.deep.equal([{ kind: 'streamNotFound' }]);
      });

      it('that is truncated begins later, and a repetition of what is gone has no position', async () => {
        const events = ['0', '1', '2', '3'].map((data) => ({ id: randomUUID(), data }));
        await batch.append({ stream, events });
        await batch.append({
          stream: `$$${stream}`,
          events: [{ type: '$metadata', data: '{"$tb":3}' }],
        });
        await until(async () => short(await client.all({ stream }))[0] === '3');
        const below = await client.all({ stream, count: 2 });
        expect(short(below)).to.deep.equal(['first 3', '3', 'last 3']);
        const repeated = { stream, expected: 'noStream', events: events.slice(0, 2) } as const;
        const answer = { kind: 'success', revision: 1n, position: null };
        expect(await batch.append(repeated)).to.deep.equal(answer);
        expect(await client.append(repeated)).to.deep.equal(answer);
      });

      it('that is soft-deleted is none until it is written to, and goes on counting', async () => {
        await appended('0', '1');
        const metadata = { type: '$metadata', data: `{"$tb":${2n ** 63n - 1n}}` };
        await batch.append({ stream: `$$${stream}`, events: [metadata] });
        await until(async () => (await client.all({ stream }))[0]?.kind === 'streamNotFound');
        const gone = await batch.append({ stream, expected: 'streamExists' });
        expect(gone).to.include({ kind: 'error', message: 'StreamDeleted' });
        await batch.append({ stream, expected: 'noStream', events: [{ data: '2' }] });
        await until(async () => short(await client.all({ stream }))[0] !== 'streamNotFound');
        expect(short(await client.all({ stream }))).to.deep.equal(['2', 'last 2']);
      });
    });

    describe('$all', () => {
      it('is read in both directions from the position of an event', async () => {
        const [, at] = await appended('0', '1', '2');
        const read = async (request: object) => short(await client.all({ ...own, ...request }));
        expect(await read({})).to.deep.equal(['0', '1', '2']);
        expect(await read({ from: at })).to.deep.equal(['1', '2']);
        expect(await read({ from: at, backwards: true })).to.deep.equal(['0']);
        expect(await read({ from: 'end', backwards: true, count: 2 })).to.deep.equal(['2', '1']);
        expect(await read({ from: 'end' })).to.deep.equal([]);
      });

      it('is filtered by prefixes and by type', async () => {
        await batch.append({ stream: `${stream}-a`, events: [{ data: 'a', type: `A${stream}` }] });
        await batch.append({ stream: `${stream}-b`, events: [{ data: 'b', type: `B${stream}` }] });
        await batch.append({ stream: `${stream}-c`, events: [{ data: 'c', type: `C${stream}` }] });
        const prefixes = [`${stream}-a`, `${stream}-c`];
        expect(short(await client.all({ filter: { prefixes } }))).to.deep.equal(['a', 'c']);
        const types = `^[BC]${stream}$`;
        expect(short(await client.all({ filter: { types } }))).to.deep.equal(['b', 'c']);
      });

      it('has nothing behind its end', async () => {
        const [at = 0n] = await appended('0');
        for (const request of [{}, own])
          expect(await client.all({ ...request, from: at + 1_000_000n })).to.deep.equal([]);
      });

      it('refuses a position inside a record', async () => {
        const [at = 0n] = await appended('0', '1');
        const refused = async (request: object) =>
          client.read({ from: at + 1n, count: 1, ...request }).ended;
        const result = 'Result: InvalidPosition';
        for (const backwards of [false, true]) {
          const plain = { code: 'UNKNOWN', details: `Unexpected ReadAll${result}` };
          expect(await refused({ backwards })).to.include(plain);
          const filtered = { code: 'UNKNOWN', details: `Unexpected FilteredReadAll${result}` };
          expect(await refused({ ...own, backwards })).to.include(filtered);
        }
        const past = await refused({ from: at + 1_000_000n, backwards: true });
        expect(past).to.include({ code: 'UNKNOWN', details: 'Unexpected ReadAllResult: Error' });
      });
    });

    describe('a subscription to $all', () => {
      let call: ReadCall | undefined;

      afterEach(() => {
        call?.cancel();
      });

      function subscribe(request: object): ReadMessage[] {
        call = client.read(request, asLeader);
        return call.messages;
      }

      it('confirms, catches up behind its position, says where it is, then goes live', async () => {
        const [at] = await appended('0', '1', '2');
        const messages = subscribe({ ...own, from: at });
        await until(() => has(messages, 'caughtUp'));
        await appended('3');
        await until(() => short(messages).includes('3'));
        expect(short(messages)).to.deep.equal([
          ...['confirmation', '1', '2', 'checkpoint', 'caughtUp', '3'],
        ]);
        expect(checkpoints(messages)).to.deep.equal(positions(messages).slice(1, 2));
      });

      it('from the end says nothing of what was', async () => {
        await appended('0');
        const messages = subscribe({ ...own, from: 'end' });
        await until(() => has(messages, 'caughtUp'));
        await appended('1');
        await until(() => short(messages).includes('1'));
        expect(short(messages)).to.deep.equal(['confirmation', 'caughtUp', '1']);
      });

      it('from behind the end goes live and leaves out what comes before that position', async () => {
        const [at = 0n] = await appended('0');
        const messages = subscribe({ ...own, from: at + 1_000_000n });
        await until(() => has(messages, 'caughtUp'));
        const witness = client.read({ ...own, from: 'end' });
        await until(() => has(witness.messages, 'caughtUp'));
        await appended('1');
        await until(() => short(witness.messages).includes('1'));
        witness.cancel();
        expect(short(messages)).to.deep.equal(['confirmation', 'caughtUp']);
      });

      for (const request of [{}, { filter: { regex: '^never$' } }])
        it(`refuses a position inside a record, ${'filter' in request ? '' : 'un'}filtered`, async () => {
          const [at = 0n] = await appended('0', '1');
          const messages = subscribe({ ...request, from: at + 1n });
          expect(await call?.ended).to.include({
            code: 'INVALID_ARGUMENT',
            details: 'Trying to read from an invalid position.',
          });
          expect(short(messages)).to.deep.equal(['confirmation']);
        });

      it('that finds nothing while it catches up says it is at the largest position there is', async () => {
        await appended('0');
        const messages = subscribe({ filter: { regex: '^never$', window: 1_000_000 } });
        await until(() => has(messages, 'caughtUp'));
        expect(checkpoints(messages)).to.deep.equal([NOWHERE]);
      });

      it('says where it is behind every so many events it looks at', async () => {
        const [at, , third] = await appended('0', '1', '2', '3', '4');
        const filter = { regex: '^never$', window: 2, multiplier: 2 };
        const messages = subscribe({ filter, from: at });
        await until(() => has(messages, 'caughtUp'));
        // Four were looked at when the second page was, and it tells where that page began.
        expect(checkpoints(messages)).to.deep.equal([third]);
        await appended('5', '6', '7', '8');
        await until(() => checkpoints(messages).length > 1);
        const [, live] = checkpoints(messages);
        expect(live).to.be.oneOf(positions(await client.all({ stream })).slice(5));
      });

      it('unfiltered says no positions of its own', async () => {
        const [at] = await appended('0', '1');
        const messages = subscribe({ from: at });
        await until(() => has(messages, 'caughtUp'));
        await appended('2');
        await until(() => short(messages).includes('2'));
        expect(checkpoints(messages)).to.deep.equal([]);
      });
    });
  });
}

describe('EventStoreDB double, a cluster', () => {
  let double: EventStoreDbDouble;
  let clients: ProtocolClient[];

  beforeEach(async () => {
    double = await startEventStoreDbDouble({ nodes: 3 });
    clients = double.nodes.map((_node, index) => createProtocolClient(addressOf(double, index)));
  });

  afterEach(async () => {
    for (const client of clients) client.close();
    await double.stop();
  });

  const clientOf = (index: number) => clients[index] as ProtocolClient;
  const stored = async (stream = 's') => short(await clientOf(double.leader ?? 0).all({ stream }));

  const notLeader = (leader: number): Failure => ({
    code: 'NOT_FOUND',
    details: 'Leader info available',
    trailers: {
      exception: 'not-leader',
      'leader-endpoint-host': '127.0.0.1',
      'leader-endpoint-port': String(double.nodes[leader]?.port),
    },
  });

  function expectFailure(failure: Failure | null, expected: Partial<Failure>): void {
    const { code, details, trailers } = failure ?? {};
    expect({ code, details }).to.deep.equal({ code: expected.code, details: expected.details });
    expect(trailers).to.include(expected.trailers ?? {});
  }

  const gossiped = async (index: number) =>
    (await clientOf(index).gossip()).map(({ state, isAlive }) => `${state} ${isAlive}`);

  it('is found by the official client, which appends, reads and subscribes', async () => {
    double.electLeader(2);
    const official = EventStoreDBClient.connectionString(double.url);
    const subscription = official.subscribeToAll();
    const seen: string[] = [];
    subscription.on('data', ({ event }) => seen.push(event?.streamId ?? ''));
    await official.appendToStream('s', jsonEvent({ type: 'T', data: { n: 1 } }));
    await until(() => seen.includes('s'));
    for await (const { event } of official.readStream('s'))
      expect(event?.data).to.deep.equal({ n: 1 });
    await subscription.unsubscribe();
    await official.dispose();
    expect(double.nodes[2]?.calls).to.include({ subscribe: 1, batchAppend: 1, read: 1 });
  });

  describe('a node that follows', () => {
    it('sends those who need the leader there', async () => {
      const [leader, follower] = clients as [ProtocolClient, ProtocolClient];
      await leader.append({ stream: 's' });
      expectFailure(await follower.read({ count: 1 }, asLeader).ended, notLeader(0));
      expectFailure(await follower.read({ stream: 's', count: 1 }, asLeader).ended, notLeader(0));
      expectFailure(await follower.read({}, asLeader).ended, notLeader(0));
      expectFailure((await follower.append({ stream: 's' }, asLeader)) as Failure, notLeader(0));
      const batch = follower.batchAppend(asLeader);
      expect(await batch.append({ stream: 's' })).to.equal(null);
      expectFailure(await batch.ended, notLeader(0));
    });

    it('lets a subscription from the end begin all the same', async () => {
      const call = clientOf(1).read({ from: 'end' }, asLeader);
      await until(() => has(call.messages, 'caughtUp'));
      await clientOf(0).append({ stream: 's', events: [{ data: '1' }] });
      await until(() => short(call.messages).includes('1'));
      call.cancel();
    });

    it('forwards what others append, and reads to them what it has', async () => {
      const answer = await clientOf(1).append({
        stream: 's',
        events: [{ data: '0' }, { data: '1' }],
      });
      expect(answer).to.include({ kind: 'success', revision: 1n });
      double.lag(1, 1);
      expect(short(await clientOf(1).all({ stream: 's' }))).to.deep.equal(['0', 'last 0']);
      expect(short(await clientOf(1).all({}))).to.deep.equal(['0']);
      expect(short(await clientOf(0).all({}))).to.deep.equal(['0', '1']);
      double.lag(1, 9);
      expect(short(await clientOf(1).all({ stream: 's' }))).to.deep.equal(['streamNotFound']);
    });

    it('delivers to its subscriptions when it has more', async () => {
      await clientOf(0).append({ stream: 's', events: [{ data: '0' }, { data: '1' }] });
      double.lag(1, 1);
      const call = clientOf(1).read({});
      await until(() => has(call.messages, 'caughtUp'));
      expect(short(call.messages)).to.deep.equal(['confirmation', '0', 'caughtUp']);
      double.lag(1, null);
      await until(() => short(call.messages).includes('1'));
      call.cancel();
    });
  });

  describe('when the leader resigns', () => {
    it('gossip names another, and the old one follows', async () => {
      expect(await gossiped(1)).to.deep.equal(['LEADER true', 'FOLLOWER true', 'FOLLOWER true']);
      double.resign();
      expect(await gossiped(0)).to.deep.equal(['FOLLOWER true', 'LEADER true', 'FOLLOWER true']);
    });

    it('its subscriptions stay, and its appends end', async () => {
      const batch = clientOf(0).batchAppend(asLeader);
      const call = clientOf(0).read({}, asLeader);
      await until(() => has(call.messages, 'caughtUp'));
      double.resign();
      await clientOf(1).append({ stream: 's', events: [{ data: '1' }] });
      await until(() => short(call.messages).includes('1'));
      call.cancel();
      expect(await batch.append({ stream: 's' })).to.equal(null);
      expectFailure(await batch.ended, notLeader(1));
    });

    it('it first finishes what it has begun', async () => {
      double.holdAppends();
      const batch = clientOf(0).batchAppend(asLeader);
      const begun = batch.append({ stream: 's' });
      await until(() => double.nodes[0]?.calls.batchAppend === 1);
      await written(begun, batch);
      double.resign();
      expect(await gossiped(0)).to.include('RESIGNINGLEADER true');
      expect(await batch.append({ stream: 's' })).to.include({ message: 'Server Is Not Ready' });
      double.releaseAppends();
      expect(await begun).to.include({ kind: 'success' });
      expect(double.leader).to.equal(1);
    });

    it('a read between two pages is refused', async () => {
      const events = Array.from({ length: 40 }, () => ({ data: 'x'.repeat(20_000) }));
      for (let n = 0; n < 20; n += 1) await clientOf(0).append({ stream: 's', events });
      const call = clientOf(0).read({ count: 1_000_000 }, asLeader);
      double.resign();
      expectFailure(await call.ended, notLeader(1));
    });

    it('the new one knows no ids, and stores an append repeated without a revision twice', async () => {
      const append = { stream: 's', events: [{ id: randomUUID(), data: '1' }] };
      await clientOf(0).append(append);
      await clientOf(0).append(append);
      expect(await stored()).to.deep.equal(['1', 'last 0']);
      double.resign();
      await clientOf(1).append(append);
      expect(await stored()).to.deep.equal(['1', '1', 'last 1']);
      const repeated = await clientOf(1).append({ ...append, expected: 'noStream' });
      expect(repeated).to.include({ kind: 'success', revision: 0n });
      expect(await stored()).to.have.lengthOf(3);
    });
  });

  describe('without a quorum', () => {
    it('there is no leader, appends time out or are refused, and followers still serve reads', async () => {
      await clientOf(0).append({ stream: 's', events: [{ data: '0' }] });
      double.holdAppends();
      const batch = clientOf(0).batchAppend(asLeader);
      const pending = batch.append({ stream: 's', events: [{ data: '1' }] });
      await written(pending, batch);
      double.loseQuorum();
      expect(await pending).to.deep.equal({
        kind: 'error',
        message: 'Timeout',
        code: 4,
        details: 'event_store.client.Timeout',
      });
      expect(await batch.append({ stream: 's' })).to.deep.equal({
        kind: 'error',
        message: 'Server Is Not Ready',
        code: 0,
        details: 'google.protobuf.Empty',
      });
      const notReady = { code: 'UNAVAILABLE', details: 'Server Is Not Ready' } as const;
      expectFailure((await clientOf(0).append({ stream: 's' })) as Failure, notReady);
      expectFailure(await clientOf(0).read({ count: 1 }, asLeader).ended, notReady);
      expect(await gossiped(0)).to.deep.equal(['UNKNOWN true', 'UNKNOWN true', 'UNKNOWN true']);
      expect(short(await clientOf(0).all({ stream: 's' }))).to.deep.equal(['0', 'last 0']);
      double.regainQuorum();
      expect(await stored()).to.deep.equal(['0', '1', 'last 1']);
    });
  });

  describe('a node', () => {
    it('that is killed breaks its connections, refuses new ones, and comes back', async () => {
      const call = clientOf(0).read({}, asLeader);
      await until(() => has(call.messages, 'caughtUp'));
      expect(double.nodes[0]?.connections).to.equal(1);
      double.kill(0);
      expect(await call.ended).to.include({ code: 'UNAVAILABLE' });
      expect(double.nodes[0]?.connections).to.equal(0);
      expect(await gossiped(1)).to.deep.equal(['UNKNOWN false', 'LEADER true', 'FOLLOWER true']);
      const refused = await clientOf(0).read({ count: 1 }).ended;
      expect(refused).to.include({ code: 'UNAVAILABLE' });
      await double.start(0);
      expect(await gossiped(1)).to.deep.equal(['FOLLOWER true', 'LEADER true', 'FOLLOWER true']);
      await until(() => succeeds(clientOf(0).all({})));
    });

    it('that is cut off from clients still leads', async () => {
      const call = clientOf(0).read({}, asLeader);
      await until(() => has(call.messages, 'caughtUp'));
      double.cutOff(0);
      expect(await call.ended).to.include({ code: 'UNAVAILABLE' });
      expect(await gossiped(1)).to.include('LEADER true');
      await double.start(0);
      await until(() => succeeds(clientOf(0).all({})));
      expect(double.leader).to.equal(0);
    });

    it('counts its connections while they are open', async () => {
      const { nodes } = double;
      expect(nodes.map(({ connections }) => connections)).to.deep.equal([0, 0, 0]);
      await clientOf(1).all({});
      await clientOf(1).gossip();
      expect(nodes[1]?.connections).to.equal(2);
      expect(nodes[1]?.calls).to.include({ read: 1, gossip: 1, append: 0 });
      clientOf(1).close();
      await until(() => nodes[1]?.connections === 0);
    });

    it('that was the last but one leaves the other without a leader', async () => {
      double.kill(1);
      double.kill(0);
      expect(double.leader).to.equal(null);
      expect(await gossiped(2)).to.deep.equal(['UNKNOWN false', 'UNKNOWN false', 'UNKNOWN true']);
      await double.start(1);
      expect(double.leader).to.equal(1);
    });

    it('that is frozen keeps its connections, answers nothing, and goes on where it was', async () => {
      const batch = clientOf(0).batchAppend(asLeader);
      await batch.append({ stream: 's', events: [{ data: '0' }] });
      double.freeze(0);
      const pending = batch.append({ stream: 's', events: [{ data: '1' }] });
      const late = clientOf(0).gossip();
      double.electLeader(1);
      expect(await gossiped(1)).to.deep.equal(['UNKNOWN false', 'LEADER true', 'FOLLOWER true']);
      expect(double.nodes[0]?.connections).to.be.greaterThan(0);
      expect(await Promise.race([pending, late, Promise.resolve('silent')])).to.equal('silent');
      double.thaw(0);
      expect(await pending).to.equal(null);
      expectFailure(await batch.ended, notLeader(1));
      expect(await late).to.have.lengthOf(3);
    });

    it('that was replaced while it was frozen may take itself for the leader', async () => {
      const batch = clientOf(0).batchAppend(asLeader);
      await batch.append({ stream: 's', events: [{ data: '0' }] });
      double.freeze(0);
      const pending = batch.append({ stream: 's', events: [{ data: 'never' }] });
      double.electLeader(1);
      await clientOf(1).append({ stream: 's', events: [{ data: '1' }] }, asLeader);
      double.thaw(0, { believesToLead: true });
      expect(await gossiped(0)).to.deep.equal(['LEADER true', 'LEADER true', 'FOLLOWER true']);
      const stale = await clientOf(0).all({ stream: 's' }, asLeader);
      expect(short(stale)).to.deep.equal(['0', 'last 0']);
      double.stepDown(0);
      expect(await pending).to.include({ message: 'Timeout' });
      expectFailure(await clientOf(0).read({ count: 1 }, asLeader).ended, notLeader(1));
      expect(await stored()).to.deep.equal(['0', '1', 'last 1']);
    });

    it('that is frozen accepts connections that hear nothing until it goes on', async () => {
      double.freeze(2);
      const late = clientOf(2).gossip();
      await until(() => double.nodes[2]?.connections === 1);
      expect(double.nodes[2]?.calls.gossip).to.equal(0);
      double.thaw(2);
      expect(await late).to.have.lengthOf(3);
    });

    it('that shuts down answers no append and ends its calls without a status', async () => {
      const batch = clientOf(0).batchAppend(asLeader);
      const call = clientOf(0).read({ from: 'end' }, asLeader);
      await until(() => has(call.messages, 'caughtUp'));
      const ended = double.shutDown(0);
      expect(await batch.append({ stream: 's' })).to.equal(null);
      for (const failure of [await batch.ended, await call.ended])
        expect(failure).to.include({
          code: 'INTERNAL',
          details: 'Received RST_STREAM with code 0 (Call ended without gRPC status)',
        });
      await ended;
      expect(double.nodes[0]?.connections).to.equal(0);
      expect(double.leader).to.equal(1);
    });
  });

  describe('gossip of a node', () => {
    it('may be old, or not come', async () => {
      const before = double.members();
      double.answerGossip(2, () => before);
      double.resign();
      expect(await gossiped(2)).to.deep.equal(['LEADER true', 'FOLLOWER true', 'FOLLOWER true']);
      double.answerGossip(2, () => null);
      const silent = clientOf(2).gossip();
      await until(() => double.nodes[2]?.calls.gossip === 2);
      double.answerGossip(2, (members) => members);
      expect(await gossiped(2)).to.include('LEADER true');
      expect(await Promise.race([silent, Promise.resolve(null)])).to.equal(null);
      silent.catch(() => undefined);
    });
  });

  describe('an append', () => {
    const faults: readonly [AppendFault, 'stored' | 'lost', object | null][] = [
      ['accessDenied', 'lost', { message: 'AccessDenied', code: 7 }],
      ['badRequest', 'lost', { message: 'BadRequest', code: 3 }],
      ['maximumAppendSizeExceeded', 'lost', { message: 'MaximumAppendSizeExceeded', code: 3 }],
      ['notReady', 'lost', { message: 'Server Is Not Ready', code: 0 }],
      ['streamDeleted', 'lost', { message: 'StreamDeleted', code: 5 }],
      ['tooBusy', 'lost', { message: 'Server Is Busy', code: 0 }],
      ['unknown', 'lost', { message: 'Unknown', code: 2 }],
      ['timeoutStored', 'stored', { message: 'Timeout', code: 4 }],
      ['timeoutNotStored', 'lost', { message: 'Timeout', code: 4 }],
      ['answerLost', 'stored', null],
      ['requestLost', 'lost', null],
      ['leaderChangeStored', 'stored', { message: 'Timeout', code: 4 }],
      ['leaderChangeNotStored', 'lost', { message: 'Timeout', code: 4 }],
      ['noPosition', 'stored', { kind: 'success', revision: 0n, position: null }],
    ];

    for (const [fault, outcome, answer] of faults)
      it(`that meets ${fault} is ${outcome}, and the one after it is well`, async () => {
        double.failAppends(fault);
        const batch = clientOf(0).batchAppend(asLeader);
        const first = await batch.append({ stream: 's', events: [{ data: '0' }] });
        if (answer === null) {
          expect(first).to.equal(null);
          expect(await batch.ended).to.include({ code: 'UNAVAILABLE' });
        } else expect(first).to.include(answer);
        expect(await stored()).to.deep.equal(
          outcome === 'stored' ? ['0', 'last 0'] : ['streamNotFound'],
        );
        expect(double.leader).to.equal(fault.startsWith('leaderChange') ? 1 : 0);
        const next = clientOf(double.leader ?? 0).append({ stream: 's' }, asLeader);
        await until(() => next.then((reply) => 'kind' in reply && reply.kind === 'success'));
      });

    for (const [fault, count] of [
      ['silenceStored', 1],
      ['silenceNotStored', 0],
    ] as const)
      it(`that meets ${fault} is never answered`, async () => {
        double.failAppends(fault);
        const batch = clientOf(0).batchAppend(asLeader);
        const silent = batch.append({ stream: 's' });
        expect(await batch.append({ stream: 'after' })).to.include({ kind: 'success' });
        expect(await Promise.race([silent, Promise.resolve('silent')])).to.equal('silent');
        expect((await clientOf(0).all({ count: 9 })).length).to.equal(count + 1);
      });

    it('that is held is seen by nobody and times out when repeated', async () => {
      double.holdAppends();
      const batch = clientOf(0).batchAppend(asLeader);
      const events = [{ id: randomUUID(), data: '1' }];
      const first = batch.append({ stream: 's', expected: 'noStream', events });
      const again = batch.append({ stream: 's', expected: 'noStream', events });
      const conflict = await batch.append({ stream: 's', expected: 'noStream' });
      expect(conflict).to.deep.equal({ kind: 'wrongExpectedVersion', current: 0n });
      expect(await stored()).to.deep.equal(['streamNotFound']);
      double.releaseAppends();
      expect(await first).to.include({ kind: 'success' });
      expect(await again).to.include({ message: 'Timeout' });
      expect(await stored()).to.deep.equal(['1', 'last 0']);
    });

    for (const heldAppends of ['lost', 'kept'] as const)
      it(`held at a failover is ${heldAppends}`, async () => {
        double.holdAppends();
        const batch = clientOf(0).batchAppend(asLeader);
        const pending = batch.append({ stream: 's', events: [{ data: '1' }] });
        await written(pending, batch);
        double.electLeader(1, { heldAppends });
        expect(await pending).to.include({ message: 'Timeout' });
        expect(await stored()).to.deep.equal(
          heldAppends === 'kept' ? ['1', 'last 0'] : ['streamNotFound'],
        );
      });
  });

  it('breaks the connection behind any message', async () => {
    await clientOf(0).append({ stream: 's', events: [{ data: '0' }, { data: '1' }] });
    const sent: string[][] = [];
    for (let n = 0; n < 4; n += 1) {
      const cut = double.disconnectAfter(n);
      const call = clientOf(0).read({}, asLeader);
      expect(await call.ended).to.include({ code: 'UNAVAILABLE' });
      await cut;
      sent.push(short(call.messages));
    }
    expect(sent).to.deep.equal([
      [],
      ['confirmation'],
      ['confirmation', '0'],
      ['confirmation', '0', '1'],
    ]);
    void double.disconnectAfter(1);
    const batch = clientOf(0).batchAppend(asLeader);
    expect(await batch.append({ stream: 's' })).to.include({ kind: 'success' });
    expect(await batch.ended).to.include({ code: 'UNAVAILABLE' });
  });

  it('limits one event when told to', async () => {
    const limited = await startEventStoreDbDouble({ maxAppendEventSize: 10 });
    const client = createProtocolClient(addressOf(limited, 0));
    const batch = client.batchAppend(asLeader);
    const events = [{ type: 't', data: '123456789' }];
    expect(await batch.append({ stream: 's', events })).to.include({
      message: 'MaximumAppendEventSizeExceeded',
      details: 'event_store.client.MaximumAppendEventSizeExceeded',
    });
    const unary = (await client.append({ stream: 's', events })) as Failure;
    expectFailure(unary, {
      code: 'INVALID_ARGUMENT',
      details: unary.details,
      trailers: { exception: 'maximum-append-event-size-exceeded' },
    });
    client.close();
    await limited.stop();
  });

  it('fails reads as told', async () => {
    double.failReads('tooBusy');
    double.failReads('notReady');
    double.failReads('error');
    const fails = async () => (await clientOf(0).read({ count: 1 }).ended)?.details;
    expect([await fails(), await fails(), await fails(), await fails()]).to.deep.equal([
      'Server Is Too Busy',
      'Server Is Not Ready',
      'Unexpected ReadAllResult: Error',
      undefined,
    ]);
  });

  it('lets a subscription that takes nothing fall behind and catch up without a gap', async () => {
    const call = clientOf(0).read({ filter: { regex: '^s$' } });
    await until(() => has(call.messages, 'caughtUp'));
    const batch = clientOf(0).batchAppend(asLeader);
    const events = Array.from({ length: 100 }, (_one, n) => ({ data: String(n) }));
    await batch.append({ stream: 's', events });
    await until(() => positions(call.messages).length === 100);
    await until(() => short(call.messages).filter((kind) => kind === 'caughtUp').length === 2);
    const data = short(call.messages).filter((kind) => /^\d+$/u.test(kind));
    expect(data).to.deep.equal(events.map((event) => event.data));
    call.cancel();
  });

  describe('a log that changes', () => {
    let at: bigint[];

    beforeEach(async () => {
      const events = ['0', '1', '2', '3'].map((data) => ({ data }));
      await clientOf(0).append({ stream: 's', events });
      at = positions(await clientOf(0).all({}));
    });

    it('keeps positions when it is scavenged, and reads from those that are gone', async () => {
      double.scavenge(({ revision }) => revision === 1n || revision === 2n);
      expect(positions(await clientOf(0).all({}))).to.deep.equal([at[0], at[3]]);
      expect(short(await clientOf(0).all({ from: at[1] ?? 0n }))).to.deep.equal(['3']);
      expect(short(await clientOf(0).all({ stream: 's' }))).to.deep.equal(['0', '3', 'last 3']);
      const inside = (at[3] ?? 0n) - 1n;
      expect(short(await clientOf(0).all({ from: inside }))).to.deep.equal(['3']);
    });

    it('ends earlier when an old backup is restored, and is written on from there', async () => {
      await double.truncate(at[2] ?? 0n);
      const [, later] = clients as [ProtocolClient, ProtocolClient];
      await until(() => succeeds(later.all({})));
      expect(short(await later.all({}))).to.deep.equal(['0', '1']);
      const answer = await later.append({ stream: 's', expected: 1n });
      expect(answer).to.deep.equal({ kind: 'success', revision: 2n, position: at[2] });
    });

    it('has a stream that is gone for good', async () => {
      double.tombstoneStream('s');
      const deleted = {
        code: 'FAILED_PRECONDITION',
        details: "Event stream 's' is deleted.",
        trailers: { exception: 'stream-deleted', 'stream-name': 's' },
      } as const;
      expectFailure(await clientOf(0).read({ stream: 's', count: 1 }).ended, deleted);
      expectFailure((await clientOf(0).append({ stream: 's' })) as Failure, deleted);
    });

    it("has the server's own events behind ours", async () => {
      double.appendSystemEvents(100);
      const last = await clientOf(0).all({ from: 'end', backwards: true, count: 1 });
      expect(last[0]).to.include({ type: '$statsCollected' });
      const filter = { regex: '^[^$]' };
      const ours = await clientOf(0).all({ from: 'end', backwards: true, count: 1, filter });
      expect(short(ours)).to.deep.equal(['3']);
    });
  });
});

describe('EventStoreDB double, with users', () => {
  let double: EventStoreDbDouble;
  let client: ProtocolClient;

  beforeEach(async () => {
    double = await startEventStoreDbDouble({ users: { admin: 'changeit', tamga: 'a:b' } });
    client = createProtocolClient(addressOf(double, 0));
  });

  afterEach(async () => {
    client.close();
    await double.stop();
  });

  const denied = { code: 'PERMISSION_DENIED', details: 'Access Denied' };
  const append = async (credentials?: string) =>
    client.append({ stream: 's' }, credentials === undefined ? {} : { credentials });

  it('refuses a wrong password in every call', async () => {
    const wrong = { credentials: 'tamga:a:c' };
    const unauthenticated = { code: 'UNAUTHENTICATED', details: 'Unauthenticated' };
    expect(await append('tamga:a:c')).to.include(unauthenticated);
    expect(await client.read({ count: 1 }, wrong).ended).to.include(unauthenticated);
    expect(await client.batchAppend(wrong).ended).to.include(unauthenticated);
    const gossip = await client.gossip(wrong).catch((error: unknown) => error);
    expect(gossip).to.be.an('error').with.property('message', 'UNAUTHENTICATED: Unauthenticated');
  });

  it('takes streams from users, $all from the administrator, and gossips with anybody', async () => {
    expect(await append()).to.include(denied);
    expect(await append('tamga:a:b')).to.include({ kind: 'success' });
    expect(await client.read({ count: 1 }, { credentials: 'tamga:a:b' }).ended).to.include(denied);
    expect(await client.read({ count: 1 }, { credentials: 'admin:changeit' }).ended).to.equal(null);
    expect(await client.gossip()).to.have.lengthOf(1);
  });

  it('denies one thing at a test’s word', async () => {
    double.deny(({ operation, user }) => operation === 'append' && user === 'tamga');
    expect(await append('tamga:a:b')).to.deep.include({ ...denied });
    const batch = client.batchAppend({ credentials: 'tamga:a:b' });
    expect(await batch.append({ stream: 's' })).to.include({ message: 'AccessDenied', code: 7 });
    expect(await client.read({ count: 1 }).ended).to.equal(null);
    double.deny(({ operation }) => operation === 'gossip');
    const gossip = await client.gossip().catch((error: unknown) => error);
    expect(gossip).to.be.an('error').with.property('message', 'PERMISSION_DENIED: Access Denied');
  });
});

function addressOf(double: EventStoreDbDouble, node: number): string {
  return `127.0.0.1:${double.nodes[node]?.port}`;
}

/** Resolves when the server has worked on an append that it does not answer yet: it answers one behind it. */
async function written(pending: Promise<unknown>, batch: BatchCall): Promise<void> {
  pending.catch(() => undefined);
  await batch.append({ stream: 'none', expected: 'streamExists' });
}

function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}

function positions(messages: readonly ReadMessage[]): bigint[] {
  return messages.flatMap((message) => (message.kind === 'event' ? [message.position] : []));
}

function checkpoints(messages: readonly ReadMessage[]): bigint[] {
  return messages.flatMap((message) => (message.kind === 'checkpoint' ? [message.position] : []));
}

/** Events by their data, the rest by kind. */
function short(messages: readonly ReadMessage[]): string[] {
  return messages.map((message) => {
    if (message.kind === 'event') return message.data;
    return 'revision' in message ? `${message.kind} ${message.revision}` : message.kind;
  });
}

function has(messages: readonly ReadMessage[], kind: ReadMessage['kind']): boolean {
  return messages.some((message) => message.kind === kind);
}
