import { expect } from 'chai';
import type pg from 'pg';
import { createLogVerification } from '../../application/log/verifyLog.ts';
import type { EventLog } from '../../application/ports/eventLog.ts';
import { Unavailable, WrongLog } from '../../application/ports/faults.ts';
import type { LogIdentityEvent } from '../../domain/logIdentity/events.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import { deriveMasterKeys } from '../../infrastructure/codec/encryption.ts';
import { createEventStoreDbEventLog } from '../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { createMemoryEventLog } from '../support/doubles/memoryEventLog.ts';
import { createPostgresFollowedLog } from '../../infrastructure/postgres/followedLog.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { anEvent, collect, readAll } from '../contracts/eventLogContract.ts';
import { migratedDatabase, startPostgresEventLog } from '../support/events/eventLogs.ts';
import { startEventStoreDbDouble } from '../support/eventStoreDb/eventStoreDbDouble.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { recordable } from '../support/events/exampleEvents.ts';
import { manualClock } from '../support/doubles/memoryPorts.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { testVault } from '../support/doubles/vault.ts';
import { systemRandomness } from '../../infrastructure/system.ts';

/** A log of its own as two processes see it, and the database of its installation. */
interface OpenedLog {
  readonly views: readonly [EventLog, ...EventLog[]];
  readonly databaseUrl: string;
}

const ourKey = Buffer.alloc(32, 1);
const otherKey = Buffer.alloc(32, 2);
const stream = 'log-identity';

const opened: (() => Promise<unknown>)[] = [];

const adapters: Readonly<Record<string, () => Promise<OpenedLog>>> = {
  'in memory': async () => {
    const log = createMemoryEventLog();
    return { views: [log, log], databaseUrl: await migratedDatabase() };
  },
  PostgreSQL: async () => {
    const databaseUrl = await migratedDatabase();
    const first = await startPostgresEventLog({ url: databaseUrl });
    const second = await startPostgresEventLog({ url: databaseUrl });
    opened.push(
      () => first.stop(),
      () => second.stop(),
    );
    return { views: [first, second], databaseUrl };
  },
  'EventStoreDB (gRPC double)': async () => {
    const double = await startEventStoreDbDouble();
    opened.push(() => double.stop());
    const [first, second] = [
      createEventStoreDbEventLog({ url: double.url }),
      createEventStoreDbEventLog({ url: double.url }),
    ];
    opened.push(
      () => first.stop(),
      () => second.stop(),
    );
    await Promise.all([first.start(), second.start()]);
    return { views: [first, second], databaseUrl: await migratedDatabase() };
  },
};

/** One process: its view of the log, its database, its master key. */
function installation(log: EventLog, databaseUrl: string, masterKey = ourKey) {
  const pool = createPool({ url: databaseUrl, max: 2 });
  opened.push(() => pool.end());
  const eventStore = createEventLog({ store: log, vault: testVault() });
  const followedLog = createPostgresFollowedLog(pool);
  const verify = createLogVerification({
    eventLog: log,
    eventStore,
    followedLog,
    clock: manualClock(),
    randomness: systemRandomness,
    logAddress: 'postgres://127.0.0.1/tamga',
    wrappingKeyFingerprint: deriveMasterKeys(masterKey).fingerprint,
  });
  const say = (event: LogIdentityEvent) => eventStore.append(stream, [recordable(event)], 'any');
  return { pool, verify, say, followed: async () => (await followedLog.load()).followed };
}

/** The text of the refusal. */
async function refusalOf(verify: () => Promise<void>): Promise<string> {
  const error = await rejection(verify());
  if (!(error instanceof WrongLog)) throw new Error('It was not refused.', { cause: error });
  return error.message;
}

async function everything(log: EventLog) {
  const seen = collect(log);
  await seen.caughtUp;
  await seen.stop();
  return seen.events;
}

async function identityIn(log: EventLog) {
  const [event, ...more] = await readAll(log, stream);
  expect(more).to.deep.equal([]);
  return JSON.parse(event?.data ?? 'null') as { readonly installationId: string } | null;
}

/** State left by a release without log identities: events, an authority, checkpoints. */
async function ofOlderRelease(log: EventLog, pool: pg.Pool): Promise<void> {
  const { position } = await log.append('session-1', [anEvent(), anEvent()], 'none');
  await pool.query(`insert into checkpoint (name, position) values ('sessions', $1)`, [position]);
}

for (const [name, openLog] of Object.entries(adapters)) {
  describe(`The identity of a log ${name}`, () => {
    let log: EventLog;
    let second: EventLog;
    let databaseUrl: string;

    beforeEach(async () => {
      const { views, ...rest } = await openLog();
      ({ databaseUrl } = rest);
      log = views[0];
      second = views[1] ?? log;
    });

    afterEach(async () => {
      for (const close of opened.splice(0).reverse()) await close();
    });

    it('is the first event of a new installation, written once and kept beside the read models', async () => {
      const { verify, followed } = installation(log, databaseUrl);
      await verify();
      await verify();
      const [first, ...more] = await everything(log);
      expect(more).to.deep.equal([]);
      expect(first).to.include({ stream, type: 'LogEstablished', revision: 0n });
      expect(await followed()).to.deep.equal(await identityIn(log));
      expect(await followed()).to.include({
        epoch: 1,
        wrappingKeyFingerprint: deriveMasterKeys(ourKey).fingerprint,
      });
    });

    it('is written once by processes that start at once', async () => {
      const started = [log, second, log, second].map((view) => installation(view, databaseUrl));
      await Promise.all(started.map(({ verify }) => verify()));
      expect(await everything(log)).to.have.lengthOf(1);
      const { verify, followed } = installation(log, databaseUrl);
      await verify();
      expect(await followed()).to.deep.equal(await identityIn(log));
    });

    it('goes to one of two installations that start on it at once; the other is refused', async () => {
      const both = [
        installation(log, databaseUrl),
        installation(second, await migratedDatabase(), otherKey),
      ];
      const outcomes = await Promise.allSettled(both.map(({ verify }) => verify()));
      const reasons = outcomes.flatMap((outcome): unknown[] =>
        outcome.status === 'rejected' ? [outcome.reason] : [],
      );
      expect(reasons).to.have.lengthOf(1);
      expect(reasons[0]).to.be.instanceOf(WrongLog);
      expect(await everything(log)).to.have.lengthOf(1);
    });

    it('is written once to the log of an installation that had none', async () => {
      const { pool, verify, followed } = installation(log, databaseUrl);
      await ofOlderRelease(log, pool);
      await verify();
      await installation(second, databaseUrl).verify();
      expect(await everything(log)).to.have.lengthOf(3);
      expect(await followed()).to.deep.equal(await identityIn(log));
    });

    it('is taken over by a database that was made anew, under the same master key', async () => {
      await installation(log, databaseUrl).verify();
      const anew = installation(second, await migratedDatabase());
      await anew.verify();
      expect(await anew.followed()).to.deep.equal(await identityIn(log));
      expect(await everything(log)).to.have.lengthOf(1);
    });

    it("refuses a new installation of another master key: another's log", async () => {
      await installation(log, databaseUrl).verify();
      const other = installation(second, await migratedDatabase(), otherKey);
      const text = await refusalOf(other.verify);
      expect(text).to.include('belongs to another installation');
      expect(text).to.include((await identityIn(log))?.installationId);
      expect(await everything(log)).to.have.lengthOf(1);
      expect(await other.followed()).to.equal(null);
    });

    it('refuses an installation that has a log of its own, under whatever master key', async () => {
      await installation(log, databaseUrl).verify();
      const own = await openLog();
      await installation(own.views[0], own.databaseUrl).verify();
      const text = await refusalOf(installation(second, own.databaseUrl).verify);
      expect(text).to.include((await identityIn(log))?.installationId);
      expect(text).to.include((await identityIn(own.views[0]))?.installationId);
      expect(await everything(log)).to.have.lengthOf(1);
    });

    it('refuses another master key', async () => {
      await installation(log, databaseUrl).verify();
      const text = await refusalOf(installation(second, databaseUrl, otherKey).verify);
      expect(text).to.include('The master key differs').and.to.include('SVC_SW_MASTER_KEY');
    });

    it('refuses an empty log under a database that follows one', async () => {
      await installation(log, databaseUrl).verify();
      const empty = await openLog();
      const text = await refusalOf(installation(empty.views[0], databaseUrl).verify);
      expect(text).to.include('The event log is empty');
      expect(await everything(empty.views[0])).to.deep.equal([]);
    });

    it('refuses an empty log under full read models of a release that knew no identities', async () => {
      const { pool, verify } = installation(log, databaseUrl);
      await pool.query(`insert into checkpoint (name, position) values ('sessions', 7)`);
      expect(await refusalOf(verify))
        .to.include('is empty')
        .and.to.include('up to position 7');
      expect(await everything(log)).to.deep.equal([]);
    });

    it('refuses a log without identity under a database that was told one', async () => {
      await installation(log, databaseUrl).verify();
      const nameless = await openLog();
      await nameless.views[0].append('session-1', [anEvent()], 'none');
      const text = await refusalOf(installation(nameless.views[0], databaseUrl).verify);
      expect(text).to.include('belongs to an unknown installation');
      expect(await everything(nameless.views[0])).to.have.lengthOf(1);
    });

    it('refuses a log that has events and no identity under a database that is new', async () => {
      await log.append('session-1', [anEvent()], 'none');
      const { verify } = installation(second, await migratedDatabase());
      expect(await refusalOf(verify)).to.include('the database is new');
      expect(await everything(log)).to.have.lengthOf(1);
    });

    for (const [whose, move] of [
      ['a read model', `insert into checkpoint (name, position) values ('sessions', $1)`],
      ['the audit tree', 'update audit_tree set last_position = $1'],
    ] as const) {
      it(`refuses a log that ends before ${whose} does, with both positions`, async () => {
        const { pool, verify } = installation(log, databaseUrl);
        await verify();
        const head = (await log.head()) ?? 0n;
        await pool.query(move, [head]);
        await verify();
        await pool.query(move.replace('sessions', 'devices'), [head + 1n]);
        const text = await refusalOf(verify);
        expect(text).to.include(`ends at position ${head},`);
        expect(text).to.include(`was at ${head + 1n}`);
      });
    }

    it('refuses a log that was moved away, and takes the one it was moved to for another epoch', async () => {
      const { verify, say, followed } = installation(log, databaseUrl);
      await verify();
      const { installationId } = (await identityIn(log)) ?? { installationId: '' };
      await say({ type: 'LogRetired', data: { epoch: 2, movedTo: 'PostgreSQL' } });
      // The database still follows this log: its own move is not finished.
      expect(await refusalOf(verify)).to.include('A move of the log to PostgreSQL is half done');

      const data = { installationId, epoch: 2, records: 2, root: '' };
      await say({ type: 'LogMoved', data });
      expect(await refusalOf(verify)).to.include('it has epoch 2');
      const anew = installation(second, await migratedDatabase());
      await anew.verify();
      expect(await anew.followed()).to.deep.equal({ ...(await followed()), epoch: 2 });
    });
  });
}

describe('The check of the log', () => {
  afterEach(async () => {
    for (const close of opened.splice(0).reverse()) await close();
  });

  it('throws Unavailable while the log is down, and may be repeated', async () => {
    const double = await startEventStoreDbDouble();
    const log = createEventStoreDbEventLog({ url: double.url });
    opened.push(
      () => double.stop(),
      () => log.stop(),
    );
    await log.start();
    const { verify } = installation(log, await migratedDatabase());
    await verify();
    await double.goAway();
    expect(await rejection(verify())).to.be.instanceOf(Unavailable);
    await double.comeBack();
    await eventually(verify);
  });
});
