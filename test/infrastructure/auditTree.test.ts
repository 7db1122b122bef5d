import {
  createPublicKey,
  generateKeyPairSync,
  randomUUID,
  sign,
  verify,
  X509Certificate,
} from 'node:crypto';
import { expect } from 'chai';
import type { EventLog } from '../../application/ports/eventLog.ts';
import type { SignedTreeHead } from '../../domain/merkle/treeHead.ts';
import { ForkedTree, UncertifiedHead } from '../../application/audit/treeHeads.ts';
import { eventLeafHash, verifyConsistency, verifyInclusion } from '../../domain/merkle/hashTree.ts';
import { encodeTreeHead } from '../../domain/merkle/treeHead.ts';
import { sha256Hex } from '../../domain/shared/digest.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { createEventStoreDbEventLog } from '../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import type { PostgresEventLog } from '../../infrastructure/eventstore/postgresEventLog.ts';
import { treeKeyIn } from '../../infrastructure/pki/treeKeyCertificate.ts';
import { createLeaderLock } from '../../infrastructure/postgres/leaderLock.ts';
import { anEvent } from '../contracts/eventLogContract.ts';
import {
  type AuditTreeProcess,
  type AuditTreeWorld,
  createAuditTreeWorld,
  rootsOver,
  wholeLog,
} from '../support/worlds/auditTreeWorld.ts';
import { startTestAuthority } from '../support/doubles/memoryPki.ts';
import { serviceOrder } from '../support/pki/pkiFixtures.ts';
import { migratedDatabase, startPostgresEventLog } from '../support/events/eventLogs.ts';
import { startEventStoreDbDouble } from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { until } from '../support/assertions/waiting.ts';

async function append(log: EventLog, events: number, perStream = 100): Promise<void> {
  for (let stored = 0; stored < events; stored += perStream) {
    const batch = Array.from({ length: Math.min(perStream, events - stored) }, (_, n) =>
      anEvent({ n: stored + n }),
    );
    await log.append(`session-${randomUUID()}`, batch, 'none');
  }
}

/** Every stored head has a valid signature and the root of the log's first events, and its time is later. */
async function expectNoFork(
  { store, keys }: AuditTreeProcess,
  log: EventLog,
  pool: AuditTreeWorld['pool'],
) {
  const roots = rootsOver(await wholeLog(log));
  const { publicKey: der } = await keys.current();
  const publicKey = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const { rows } = await pool.query<{ size: bigint; root: Buffer; signed_at: Date }>(
    'select size, root, signed_at from audit_tree_head order by number',
  );
  let before = { size: 0n, signed_at: new Date(0) };
  for (const row of rows) {
    expect(row.root.equals(roots[Number(row.size)] ?? Buffer.alloc(0))).to.equal(true);
    expect(row.size >= before.size).to.equal(true);
    expect(row.signed_at.getTime()).to.be.greaterThan(before.signed_at.getTime());
    before = row;
  }
  for (const head of await store.heads()) {
    expect(verify('sha256', encodeTreeHead(head), publicKey, head.signature)).to.equal(true);
  }
  return rows.length;
}

describe('The tree over the event log in PostgreSQL', () => {
  let url: string;
  let log: PostgresEventLog;
  let world: AuditTreeWorld;
  let running: AuditTreeProcess[];

  function start(overrides?: Parameters<AuditTreeWorld['process']>[0]): AuditTreeProcess {
    const process = world.process(overrides);
    process.grower.start();
    running.push(process);
    return process;
  }

  beforeEach(async () => {
    url = await migratedDatabase();
    log = await startPostgresEventLog({ url });
    world = await createAuditTreeWorld(url, log);
    running = [];
  });

  afterEach(async () => {
    await Promise.all(running.map(({ grower }) => grower.stop()));
    await log.stop();
    await world.stop();
  });

  it('is signed as empty before there is any event', async () => {
    const { trees } = start();
    const head = await trees.signNow();
    expect(head.size).to.equal(0);
    await append(log, 3);
    expect((await trees.signNow()).size).to.equal(3);
  });

  it('takes in a log that was there before, in large batches, and then every event that follows', async () => {
    await append(log, 4500);
    const { trees, store, proofs, failures } = start();
    await world.untilGrown();
    await append(log, 777, 7);
    const head = await trees.signNow();

    const events = await wholeLog(log);
    const roots = rootsOver(events);
    expect(head.size).to.equal(5277);
    expect(head.root.equals(roots[5277] ?? head.signature)).to.equal(true);
    expect(failures).to.deep.equal([]);
    const { rows } = await world.pool.query<{ bytes: number }>(
      'select sum(length(hashes))::int as bytes from audit_tree_tile',
    );
    expect((rows[0]?.bytes ?? 0) / 32).to.be.within(5277, 5277 * 1.005);

    for (const [index, size] of [
      [0, 1],
      [0, 5277],
      [5276, 5277],
      [255, 256],
      [256, 257],
      [4095, 5000],
    ] as const) {
      const leaf = events[index] === undefined ? head.root : eventLeafHash(events[index]);
      const root = roots[size] ?? head.root;
      const path = await proofs.inclusion(index, size);
      expect(verifyInclusion({ leaf, index, size, root }, path), `${index}/${size}`).to.equal(true);
    }
    for (const first of [1, 2, 255, 256, 257, 4096, 5000, 5277]) {
      const path = await proofs.consistency(first, 5277);
      const before = { size: first, root: roots[first] ?? head.root };
      expect(verifyConsistency(before, head, path), `${first}`).to.equal(true);
    }
    expect(await store.state()).to.deep.equal({ size: 5277, position: 5277n });
  });

  it('goes on where it was when the process starts again', async () => {
    await append(log, 300);
    const first = start();
    await world.untilGrown();
    const before = await first.heads.sign();
    await first.grower.stop();
    await append(log, 333);

    const second = start();
    await world.untilGrown();
    const after = await second.heads.sign();
    expect(after.size).to.equal(633);
    const path = await second.proofs.consistency(before.size, after.size);
    expect(verifyConsistency(before, after, path)).to.equal(true);
    expect(await expectNoFork(second, log, world.pool)).to.be.at.least(2);
  });

  it('never forks though two processes grow and sign at once, both believing to be the only one', async () => {
    const other = await startPostgresEventLog({ url });
    const processes = [
      start({ signEveryMs: 1 }),
      start({ signEveryMs: 1, eventLog: other }),
    ] as const;
    await Promise.all([
      append(log, 500, 3),
      append(other, 500, 3),
      ...processes.flatMap(({ heads }) => Array.from({ length: 5 }, () => heads.sign())),
    ]);
    await world.untilGrown();
    await Promise.all(processes.map(({ heads }) => heads.sign()));

    expect((await processes[0].store.state()).size).to.equal(1000);
    expect(await expectNoFork(processes[0], log, world.pool)).to.be.greaterThan(10);
    await Promise.all(processes.map(({ grower }) => grower.stop()));
    await other.stop();
  });

  it('finds the place of an event in the log by one question', async () => {
    await append(log, 30);
    const { store, grower } = start();
    await world.untilGrown();
    await grower.stop();
    let asked = 0;
    const query = world.pool.query.bind(world.pool) as (...given: unknown[]) => unknown;
    world.pool.query = ((...given: unknown[]) => {
      asked += 1;
      return query(...given);
    }) as typeof world.pool.query;
    for (const event of await wholeLog(log)) {
      const place = await store.placeOf(event.id);
      const index = Number(event.position) - 1;
      expect(place).to.deep.equal({ index, leaf: eventLeafHash(event) });
    }
    expect(asked).to.equal(30);
    world.pool.query = query as typeof world.pool.query;
  });

  it('takes no step from what it no longer is', async () => {
    await append(log, 30);
    const { store, grower } = start();
    await world.untilGrown();
    await grower.stop();
    const tiles = [{ level: 0, number: 0, hashes: Buffer.alloc(32) }];
    const to = { size: 1, position: 1n };
    for (const from of [
      { size: 0, position: null },
      { size: 29, position: 29n },
      { size: 30, position: 29n },
    ]) {
      expect(await store.grow({ from, to, tiles, eventIds: [] })).to.equal(false);
    }
    expect(await store.state()).to.deep.equal({ size: 30, position: 30n });
    expect((await store.tiles([{ level: 0, number: 0 }]))[0]).to.have.lengthOf(30 * 32);
  });

  it('is grown by one process, and by the other when that one dies', async () => {
    const leaderLock = () => createLeaderLock({ url, pollMs: 20 });
    const [one, two] = [start({ leaderLock: leaderLock() }), start({ leaderLock: leaderLock() })];
    const active = () => [one, two].filter(({ grower }) => grower.status().state === 'RUNNING');
    await append(log, 10);
    await world.untilGrown();
    expect(active()).to.have.lengthOf(1);
    await active()[0]?.grower.stop();
    await append(log, 10);
    await world.untilGrown();
    expect(active()).to.have.lengthOf(1);
    expect(one.failures.concat(two.failures)).to.deep.equal([]);
  });

  it('keeps growing after the database refused a step, from what it had kept', async () => {
    await append(log, 50);
    const process = start();
    await world.untilGrown();
    await world.pool.query('alter table audit_tree_tile rename to away');
    await append(log, 50);
    await until(() => process.failures.length > 0);
    expect((await process.store.state()).size).to.equal(50);
    await world.pool.query('alter table away rename to audit_tree_tile');
    await world.untilGrown();
    const head = await process.heads.sign();
    expect(head.size).to.equal(100);
    await expectNoFork(process, log, world.pool);
  });

  it('is signed when it has grown and the last head is old enough, and not otherwise', async () => {
    let now = Date.parse('2030-01-01T00:00:00Z');
    const clock = { now: () => new Date(now) };
    const { heads, store } = world.process({ clock });
    const count = async () => (await store.newestHead())?.number ?? 0;
    await heads.signIfDue(1000);
    expect(await count(), 'nothing there').to.equal(0);

    await append(log, 1);
    start();
    await world.untilGrown();
    await until(async () => (await count()) === 1);
    await append(log, 1);
    await world.untilGrown();
    now = (await store.newestHead())?.timestamp.getTime() ?? now;
    now += 999;
    await heads.signIfDue(1000);
    expect(await count(), 'too early').to.equal(1);
    now += 1;
    await heads.signIfDue(1000);
    expect(await count(), 'due').to.equal(2);
    now += 5000;
    await heads.signIfDue(1000);
    expect(await count(), 'not grown').to.equal(2);
  });

  it('is signed once when it is due in several processes at the same time', async () => {
    await append(log, 1);
    const { trees, grower, store } = start();
    await trees.signNow();
    await append(log, 1);
    await world.untilGrown();
    await grower.stop();
    const { number, size } = (await store.newestHead()) ?? { number: 0, size: 0 };
    expect(size, 'before it is due').to.equal(1);

    const clock = { now: () => new Date(Date.now() + 3_600_000) };
    const processes = Array.from({ length: 4 }, () => world.process({ clock }));
    await Promise.all(processes.map(({ heads }) => heads.signIfDue(1000)));
    expect((await store.newestHead())?.number).to.equal(number + 1);
  });

  it('signs a later time than before though the clock was set back', async () => {
    await append(log, 1);
    const ahead = { now: () => new Date(Date.now() + 60_000) };
    const first = await start({ clock: ahead }).trees.signNow();
    const second = await world.process().heads.sign();
    expect(second.timestamp.getTime()).to.equal(first.timestamp.getTime() + 1);
  });

  it('is not signed when its stored hashes no longer continue what was signed', async () => {
    await append(log, 600);
    const { trees, heads, grower } = start();
    await trees.signNow();
    await grower.stop();
    await world.pool.query(
      `update audit_tree_tile set hashes = set_byte(hashes, 77, (get_byte(hashes, 77) + 1) % 256)
       where level = 0 and number = 2`,
    );
    expect(await rejection(heads.sign())).to.be.instanceOf(ForkedTree);
  });

  it('is not signed when it is smaller than what was signed', async () => {
    await append(log, 600);
    const { trees, heads, grower } = start();
    await trees.signNow();
    await grower.stop();
    await world.pool.query('update audit_tree set size = 599, last_position = 599');
    expect(await rejection(heads.sign())).to.be.instanceOf(ForkedTree);
  });

  describe('proves', () => {
    let head: SignedTreeHead;
    let process: AuditTreeProcess;

    beforeEach(async () => {
      await append(log, 300);
      process = start();
      head = await process.trees.signNow();
    });

    it('an event by its id or its index, in the newest head or in a tree of another size', async () => {
      const events = await wholeLog(log);
      const event = events[123];
      if (event === undefined) throw new Error('no event');
      const leaf = eventLeafHash(event);
      const byId = await process.trees.inclusion({ eventId: event.id }, null);
      expect(byId.treeSize).to.equal(300);
      expect(byId.leaf.equals(leaf)).to.equal(true);
      expect(verifyInclusion({ leaf, index: 123, size: 300, root: head.root }, byId.path)).to.equal(
        true,
      );
      const smaller = await process.trees.inclusion({ index: 123 }, 124);
      expect(
        verifyInclusion({ leaf, index: 123, size: 124, root: smaller.root }, smaller.path),
      ).to.equal(true);
    });

    it('an event whose partition has no index of ids any more, found through the audit', async () => {
      const event = (await wholeLog(log))[123];
      await world.pool.query(
        `create or replace view recent_event as
           select position, stream, revision, event_id, type, data, metadata from event where false`,
      );
      await world.pool.query(
        `insert into audit_view
           (position, event_id, stream, type, outcome, actor_kind, actor_id, subject, happened_at, details, revision)
         values ($1, $2, 's', 't', 'OK', 'k', 'a', 's', now(), '{}', 0)`,
        [event?.position, event?.id],
      );

      const { index } = await process.trees.inclusion({ eventId: event?.id ?? '' }, null);

      expect(index).to.equal(123);
    });

    it('nothing about events there are not, or not yet in that tree, or sizes it has not', async () => {
      const { trees } = process;
      const unknown = await rejection(trees.inclusion({ eventId: randomUUID() }, null));
      expect(isRefusal(unknown, 'AUDIT_EVENT_NOT_FOUND')).to.equal(true);
      const late = await rejection(trees.inclusion({ index: 200 }, 200));
      expect(isRefusal(late, 'AUDIT_EVENT_NOT_FOUND')).to.equal(true);
      for (const asked of [
        () => trees.inclusion({ index: 0 }, 301),
        () => trees.consistency(1, 301),
        () => trees.consistency(301, null),
      ]) {
        expect(isRefusal(await rejection(asked()), 'INVALID_REQUEST')).to.equal(true);
      }
    });

    it('no event that was altered where it is stored, and says so', async () => {
      const [, event] = await wholeLog(log);
      await world.pool.query(`update event set data = '{"n":99}' where event_id = $1`, [event?.id]);
      const refused = await rejection(process.trees.inclusion({ eventId: event?.id ?? '' }, null));
      expect(isRefusal(refused, 'AUDIT_EVENT_ALTERED')).to.equal(true);
    });
  });
});

describe('R1: who writes the database cannot replace the key of the tree', () => {
  let log: PostgresEventLog;
  let world: AuditTreeWorld;

  beforeEach(async () => {
    const url = await migratedDatabase();
    log = await startPostgresEventLog({ url });
    world = await createAuditTreeWorld(url, log);
    await append(log, 20);
    const { grower } = world.process();
    grower.start();
    await world.untilGrown();
    await grower.stop();
  });

  afterEach(async () => {
    await log.stop();
    await world.stop();
  });

  const forger = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const forgedKey = forger.publicKey.export({ type: 'spki', format: 'der' });

  /** Rewrites the newest head in the database as their own, its key with it. */
  async function replaceHead(head: SignedTreeHead): Promise<void> {
    await world.pool.query(
      'update audit_tree_head set signature = $1, key_id = $2, public_key = $3',
      [sign('sha256', encodeTreeHead(head), forger.privateKey), sha256Hex(forgedKey), forgedKey],
    );
  }

  it('the Root CA certifies the key in the vault, once, and also one that signed before', async () => {
    const { heads, keys } = world.process();
    const { publicKey, certificate } = await keys.current();
    const { root } = world.pki.authority.certificates;
    expect(treeKeyIn(certificate ?? Buffer.alloc(0), root)?.equals(publicKey)).to.equal(true);
    const shown = new X509Certificate(certificate ?? Buffer.alloc(0));
    expect(shown.verify(new X509Certificate(root).publicKey)).to.equal(true);
    const { keys: elsewhere } = world.process();
    expect((await elsewhere.current()).certificate?.equals(certificate ?? publicKey)).to.equal(
      true,
    );

    await heads.sign();
    await world.pool.query('delete from audit_tree_key');
    const again = world.process();
    await append(log, 1);
    expect((await again.heads.sign()).keyId).to.equal(sha256Hex(publicKey));
    expect((await again.keys.all()).map((key) => key.certificate === null)).to.deep.equal([false]);
  });

  it('a head with a key of theirs is not continued, and the key is shown as not certified', async () => {
    await replaceHead(await world.process().heads.sign());
    const { heads, keys } = world.process();
    expect(await rejection(heads.sign())).to.be.instanceOf(UncertifiedHead);
    const [, planted] = await keys.all();
    expect(planted?.publicKey.equals(forgedKey)).to.equal(true);
    expect(planted?.certificate).to.equal(null);
  });

  it('a head that names the certified key and is not signed by it is not continued', async () => {
    await world.process().heads.sign();
    await world.pool.query("update audit_tree_head set root = sha256('another log')");
    expect(await rejection(world.process().heads.sign())).to.be.instanceOf(UncertifiedHead);
  });

  it('no other certificate counts: of another root, of an authority, of a key certified for something else', async () => {
    await replaceHead(await world.process().heads.sign());
    const other = await startTestAuthority();
    const { authority } = world.pki;
    const { root, issuing } = authority.certificates;
    const order = serviceOrder(forgedKey, 'DOCUMENT');
    const foreign = { ...order, type: 'TREE_KEY', authority: 'root' } as const;
    for (const certificate of [
      await other.authority.issue(foreign),
      await authority.issue(order),
      ...[root, ...issuing, forgedKey],
    ]) {
      await world.process().store.keepKeyCertificate(sha256Hex(forgedKey), certificate);
      expect(treeKeyIn(certificate, root)).to.equal(null);
      const { heads, keys } = world.process();
      expect((await keys.all())[1]?.certificate).to.equal(null);
      expect(await rejection(heads.sign())).to.be.instanceOf(UncertifiedHead);
    }
    await other.stop();
  });

  it('heads of a vault of before are continued when its key was certified', async () => {
    const before = await world.process().heads.sign();
    const renewed = await startTestAuthority();
    await append(log, 1);
    const { heads, keys } = world.process({ keyVault: renewed.vault });
    const head = await heads.sign();
    expect(head.keyId).to.not.equal(before.keyId);
    expect((await keys.all()).map((key) => key.certificate === null)).to.deep.equal([false, false]);
    await renewed.stop();
  });
});

describe('The tree over the event log in EventStoreDB', () => {
  it('counts events, whose positions are not dense, and finds them by their ids', async () => {
    const double = await startEventStoreDbDouble();
    const log = createEventStoreDbEventLog({ url: double.url });
    await log.start();
    const world = await createAuditTreeWorld(await migratedDatabase(), log, { logIsHere: false });
    await append(log, 700, 50);
    const first = world.process();
    first.grower.start();
    await world.untilGrown();
    await first.grower.stop();
    await append(log, 35, 7);
    const second = world.process();
    second.grower.start();
    const head = await second.trees.signNow();

    const events = await wholeLog(log);
    expect(head.size).to.equal(735);
    const last = events[734];
    if (last === undefined) throw new Error('no event');
    expect(last.position).to.not.equal(735n);
    const proof = await second.trees.inclusion({ eventId: last.id }, null);
    const claim = { leaf: eventLeafHash(last), index: 734, size: 735, root: head.root };
    expect(proof.index).to.equal(734);
    expect(verifyInclusion(claim, proof.path)).to.equal(true);
    await expectNoFork(second, log, world.pool);

    await second.grower.stop();
    await log.stop();
    await double.stop();
    await world.stop();
  });
});
