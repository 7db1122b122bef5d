import { expect } from 'chai';
import type pg from 'pg';
import {
  queueOf,
  type SignalStream,
  type StreamChanges,
} from '../../application/signals/ports/signalStreams.ts';
import { caepTypes } from '../../domain/oidcClient/signals.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createPostgresSignalStreams } from '../../infrastructure/postgres/signalStreams.ts';
import { createPostgresWebhookOutbox } from '../../infrastructure/postgres/webhooks.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';

const now = new Date('2026-06-01T00:00:00Z');
const later = (days: number) => new Date(now.getTime() + days * 86_400_000);
const relyingPartyId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const push = { endpointUrl: 'https://rp.example/sets', authorizationHeader: 'Bearer secret' };

const polled: SignalStream = {
  streamId: 'one',
  clientId: 'client',
  relyingPartyId,
  status: 'enabled',
  reason: null,
  description: 'Ours',
  eventsRequested: [caepTypes.sessionRevoked],
  push: null,
};
const other: SignalStream = { ...polled, streamId: 'two', clientId: 'another' };

describe('Streams of security events, stored', () => {
  let pool: pg.Pool;

  before(async () => {
    pool = createPool({ url: await migratedDatabase(), max: 3 });
  });
  beforeEach(() =>
    pool.query('truncate signal_stream, signal_stream_removed, webhook_delivery, webhook_address'),
  );
  after(() => pool.end());

  function stored() {
    const encoded = (text: string) => Buffer.from(text).toString('hex');
    const streams = createPostgresSignalStreams({
      pool,
      mostRemoved: 2,
      vault: {
        encrypt: (_civilId, text) => Promise.resolve(encoded(text)),
        decrypt: (_civilId, sealed) => Promise.resolve(String(Buffer.from(sealed, 'hex'))),
      },
    });
    const outbox = createPostgresWebhookOutbox(pool);
    const tell = (stream: SignalStream, ...ids: readonly string[]) =>
      outbox.add(
        ids.map((id) => ({
          ...queueOf(stream),
          id,
          subject: 'sub',
          type: caepTypes.sessionRevoked,
          body: '{}',
        })),
        now,
      );
    const waiting = async (stream: SignalStream) =>
      (await streams.waiting(queueOf(stream), 10)).map(({ id }) => id);
    const states = async () =>
      Object.fromEntries((await outbox.shown(relyingPartyId)).map(({ id, state }) => [id, state]));
    return { streams, outbox, tell, waiting, states };
  }

  it('are one of a client, kept as they were, the header encrypted', async () => {
    const { streams } = stored();
    const pushed = { ...polled, push };
    expect(await streams.add(pushed)).to.equal(true);
    expect(await streams.add({ ...pushed, streamId: 'another' })).to.equal(false);
    expect(await streams.ofClient('client')).to.deep.equal(pushed);
    const { rows } = await pool.query('select * from signal_stream');
    expect(JSON.stringify(rows)).not.to.include('secret');
    const changes = {
      push: null,
      status: 'paused',
      reason: 'We move.',
      eventsRequested: null,
    } as const;
    expect(await streams.change(pushed, changes, now)).to.deep.equal({ ...polled, ...changes });
    expect(await streams.byId('one')).to.deep.equal({ ...polled, ...changes });
    const listed: Partial<SignalStream> = { ...polled, ...changes };
    delete (listed as { push?: unknown }).push;
    expect(await streams.all(), 'without the header').to.deep.equal([listed]);
    expect(await streams.byId('two')).to.equal(null);
  });

  it('keep what two changes at once name, each something else', async () => {
    const { streams } = stored();
    await streams.add({ ...polled, push });
    await Promise.all([
      streams.change(polled, { status: 'paused' }, now),
      streams.change(polled, { description: 'Theirs' }, now),
      streams.change(polled, { reason: 'We move.' }, now),
    ]);
    const changed = {
      ...polled,
      push,
      status: 'paused',
      description: 'Theirs',
      reason: 'We move.',
    };
    expect(await streams.byId('one')).to.deep.equal(changed);
  });

  it('leave nothing behind when they are changed after their end', async () => {
    const { streams } = stored();
    await streams.add(polled);
    await streams.remove(polled);
    expect(await streams.change(polled, { push }, now)).to.equal(null);
    const { rows } = await pool.query('select from webhook_address');
    expect(rows).to.deep.equal([]);
  });

  it('forget failures and the end of an endpoint with it or a hold alone', async () => {
    const { streams, outbox } = stored();
    const changes: readonly (readonly [StreamChanges, number])[] = [
      [{ description: 'Theirs' }, 2],
      [{ push }, 2],
      [{ push: { ...push, authorizationHeader: 'Bearer other' } }, 1],
      [{ push: { ...push, endpointUrl: 'https://rp.example/others' } }, 1],
      [{ status: 'paused' }, 1],
    ];
    for (const [change, expected] of changes) {
      await pool.query('truncate signal_stream, signal_stream_removed, webhook_address');
      await streams.add({ ...polled, push });
      await outbox.failed(queueOf(polled), now);
      await streams.change(polled, change, now);
      const failures = await outbox.failed(queueOf(polled), now);
      expect(failures, JSON.stringify(change)).to.equal(expected);
    }
  });

  it('have a day for what was held, from the end of the hold', async () => {
    const { streams, outbox, tell } = stored();
    await streams.add({ ...polled, push, status: 'paused' });
    await tell(polled, 'held');
    await streams.change(polled, { status: 'enabled' }, later(3));
    const [claimed] = await outbox.claim(queueOf(polled), later(3));
    expect(claimed).to.deep.include({ id: 'held', attempts: 0, since: later(3) });
    await streams.change(polled, { description: 'Theirs' }, later(4));
    const { rows } = await pool.query('select since from webhook_delivery');
    expect(rows, 'not held before').to.deep.equal([{ since: later(3) }]);
  });

  it('have so many citizens removed and no more, each as often as asked', async () => {
    const { streams } = stored();
    await streams.add(polled);
    await streams.add(other);
    const remove = (sub: string, isRemoved = true) => streams.setRemoved('one', sub, isRemoved);
    expect([await remove('a'), await remove('b'), await remove('c')]).to.deep.equal([
      true,
      true,
      false,
    ]);
    expect([await remove('a'), await streams.setRemoved('two', 'c', true)]).to.deep.equal([
      true,
      true,
    ]);
    expect([await remove('a', false), await remove('c')]).to.deep.equal([true, true]);
    expect(await streams.isRemoved('one', 'c')).to.equal(true);
    expect(await streams.setRemoved('unknown', 'a', true), 'ended meanwhile').to.equal(true);
  });

  it('that are polled or paused are sent nothing by jobs, until they are pushed', async () => {
    const { streams, outbox, tell, waiting } = stored();
    await streams.add(polled);
    await tell(polled, 'first', 'second');
    const claimed = async () => (await outbox.claim(queueOf(polled), now)).map(({ id }) => id);
    const due = async () => (await outbox.due(now)).map(({ address }) => address);
    for (const held of [polled, { ...polled, push, status: 'paused' as const }]) {
      await streams.change(polled, held, now);
      expect(await claimed()).to.deep.equal([]);
      expect([await outbox.nextAt(queueOf(polled), now), await due()]).to.deep.equal([null, []]);
    }
    expect(await waiting(polled)).to.deep.equal(['first', 'second']);
    await streams.change(polled, { push, status: 'enabled' }, now);
    expect(await due()).to.deep.equal(['ssf:one']);
    expect(await claimed(), 'one after another').to.deep.equal(['first']);
  });

  it('settle what is acknowledged once, and nothing of another stream', async () => {
    const { streams, tell, waiting, states } = stored();
    await streams.add(polled);
    await streams.add(other);
    await tell(polled, 'a', 'b', 'c');
    await tell(other, 'd');
    const refused = [{ jti: 'b', reason: 'invalid_state: Another.' }];
    await streams.acknowledge(queueOf(polled), ['a', 'd', 'unknown'], refused, now);
    expect([await waiting(polled), await waiting(other)]).to.deep.equal([['c'], ['d']]);
    const settled = { a: 'DELIVERED', b: 'DEAD', c: 'WAITING', d: 'WAITING' };
    expect(await states()).to.deep.equal(settled);
    const again = [{ jti: 'a', reason: 'invalid_request: Replayed.' }];
    await streams.acknowledge(queueOf(polled), ['b'], again, now);
    expect(await states(), 'replayed').to.deep.equal(settled);
  });

  it('lose what nobody fetches for 30 days, what waits when they are disabled, and all when they end', async () => {
    const { streams, outbox, tell, waiting } = stored();
    await streams.add(polled);
    await tell(polled, 'old');
    await outbox.tidy(later(29));
    expect(await waiting(polled)).to.deep.equal(['old']);
    await outbox.tidy(later(31));
    expect(await waiting(polled)).to.deep.equal([]);
    await tell(polled, 'disabled');
    await streams.change(polled, { status: 'disabled' }, now);
    expect(await waiting(polled)).to.deep.equal([]);
    await tell(polled, 'ended');
    await streams.setRemoved('one', 'sub', true);
    await streams.remove(polled);
    expect([await waiting(polled), await streams.isRemoved('one', 'sub')]).to.deep.equal([
      [],
      false,
    ]);
  });

  it('leave what is to be pushed for as long as it takes', async () => {
    const { streams, outbox, tell, waiting } = stored();
    await streams.add({ ...polled, push });
    await tell(polled, 'pushed');
    await outbox.tidy(later(31));
    expect(await waiting(polled)).to.deep.equal(['pushed']);
  });

  it('count verifications, one in an interval', async () => {
    const { streams } = stored();
    await streams.add(polled);
    const admit = (at: Date) => streams.admitVerification('one', at, new Date(at.getTime() - 1000));
    expect(await admit(now)).to.equal(true);
    expect(await admit(new Date(now.getTime() + 999))).to.equal(false);
    expect(await admit(new Date(now.getTime() + 1000))).to.equal(true);
  });
});
