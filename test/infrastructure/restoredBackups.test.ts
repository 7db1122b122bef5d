import { expect } from 'chai';
import type pg from 'pg';
import type { RestoredBackups } from '../../application/log/ports/restoredBackups.ts';
import { createRestoreGate, type RestoreGate } from '../../application/log/restoreGate.ts';
import { HERE, NAME } from '../../infrastructure/postgres/knownServer.ts';
import { createPool } from '../../infrastructure/postgres/pool.ts';
import { createPostgresRestoredBackups } from '../../infrastructure/postgres/restoredBackups.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { type ManualClock, manualClock } from '../support/doubles/memoryPorts.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

const SETTLE_MS = 120_000;

describe('O2: a database that is on another server than before', () => {
  let pool: pg.Pool;
  let backups: RestoredBackups;
  let gates: RestoreGate[];
  let clock: ManualClock;

  beforeEach(async () => {
    pool = createPool({ url: await migratedDatabase(), max: 4 });
    backups = createPostgresRestoredBackups(pool);
    gates = [];
    clock = manualClock(null);
    asked = 0;
  });

  afterEach(async () => {
    for (const gate of gates) gate.stop();
    await pool.end();
  });

  /** Times that processes were asked whether the log has what they saw. */
  let asked: number;

  async function startGate(holdsSeen: string | null): Promise<RestoreGate> {
    const gate = createRestoreGate({
      backups,
      clock,
      settleMs: SETTLE_MS,
      holdsSeen: () => {
        asked += 1;
        return Promise.resolve(holdsSeen);
      },
      everyMs: 5,
    });
    gates.push(gate);
    await gate.start();
    return gate;
  }

  /** Name of the server. */
  async function here(): Promise<string> {
    const { rows } = await pool.query<{ name: string }>(`select ${NAME} as name from ${HERE}`);
    return rows[0]?.name ?? '';
  }

  /** Makes the database one that was on another timeline before. */
  const takeOver = () => pool.query(`update known_server set timeline = '00000000'`);

  it('was restored: nothing is signed until it is accepted', async () => {
    expect(await backups.pending()).to.equal(null);
    await takeOver();
    const pending = await backups.pending();
    expect(pending).to.deep.include({ head: null, events: 0, root: 'unknown' });
    expect(pending?.findings[0]?.what).to.match(/was recovered, or a standby took over/);
    const gate = await startGate(await here());
    expect(gate.isOpen()).to.equal(false);
    await backups.accept();
    await eventually(() => Promise.resolve(expect(gate.isOpen()).to.equal(true)));
    expect(await backups.pending()).to.equal(null);
    expect(gate.countsSince()).to.be.instanceOf(Date);
  });

  it('is settled from when it was found there, not from when its server started', async () => {
    const { rows } = await pool.query<{ now: Date }>('select now()');
    const before = rows[0]?.now.getTime();
    await takeOver();
    const found = (await backups.pending())?.restoredAt;
    expect(found?.getTime()).to.be.at.least(before ?? Infinity);
    expect((await backups.pending())?.restoredAt).to.deep.equal(found);
    await pool.query(`update known_server set elsewhere = 'another, before'`);
    const again = (await backups.pending())?.restoredAt;
    expect(again?.getTime()).to.be.above(found?.getTime() ?? Infinity);
    await backups.found([{ what: 'a list', isApplied: true }]);
    expect((await backups.pending())?.restoredAt).to.deep.equal(again);
  });

  it('was restored when it was read from a dump', async () => {
    await pool.query(`update known_server set system_identifier = '1'`);
    expect((await backups.pending())?.findings[0]?.what).to.match(
      /restored from a dump, or upgraded/,
    );
  });

  it('was restored when it was copied, or read from a dump, on the same server', async () => {
    await backups.follow(await here());
    const { rows } = await pool.query<{ name: string }>('select current_database() as name');
    await pool.end();
    pool = createPool({ url: await freshDatabase(rows[0]?.name), max: 4 });
    backups = createPostgresRestoredBackups(pool);
    expect((await backups.pending())?.findings[0]?.what).to.match(/another one on the same/);
    await backups.accept();
    expect(await backups.pending()).to.equal(null);
  });

  it('was restored when a dump was read over it', async () => {
    await backups.follow(await here());
    expect(await backups.pending()).to.equal(null);
    await pool.query(`alter table known_server rename to dumped`);
    await pool.query(`create table known_server (like dumped including all)`);
    await pool.query(`insert into known_server select * from dumped`);
    expect((await backups.pending())?.findings[0]?.what).to.match(
      /was restored from a dump, or copied/,
    );
  });

  it('is as of its newest event, or of its newest tree head, where the log is elsewhere', async () => {
    const signedAt = new Date('2026-02-03T04:05:06.000Z');
    await pool.query(
      `insert into audit_tree_head (number, size, root, signed_at, signature, key_id, public_key)
       values (1, 0, '', $1, '', '', '')`,
      [signedAt],
    );
    await takeOver();
    expect((await backups.pending())?.madeAt).to.deep.equal(signedAt);
  });

  it('keeps what evidence says of it', async () => {
    await takeOver();
    await backups.found([{ what: 'a list', isApplied: true }]);
    const pending = await backups.pending();
    expect(pending?.findings.map(({ what }) => what).at(-1)).to.equal('a list');
    expect(pending?.findings).to.have.length(2);
  });

  it('is accepted by nobody while another process takes evidence', async () => {
    const elsewhere = createPostgresRestoredBackups(pool);
    await elsewhere.exclusively(async () => {
      const refused = await rejection(backups.exclusively(() => backups.accept()));
      expect(refused).to.have.property('code', 'CONFLICT');
    });
    await backups.exclusively(() => Promise.resolve());
  });

  it('loses no finding silently once it was accepted', async () => {
    await takeOver();
    await backups.accept();
    const lost = await rejection(backups.found([{ what: 'a list', isApplied: true }]));
    expect(String(lost)).to.match(/was accepted in the meantime/u);
  });

  it('is written down once nothing of before is under way, before an operator signs in to accept it', async () => {
    await takeOver();
    const gate = await startGate(null);
    const rows = async () => (await pool.query('select from restored_backup')).rowCount;
    await eventually(() => Promise.resolve(expect(gate.waiting()).to.not.equal(null)));
    expect([gate.isSettled(), await rows()]).to.deep.equal([false, 0]);
    clock.advance(SETTLE_MS + 1000);
    await eventually(() => Promise.resolve(expect(gate.isSettled()).to.equal(true)));
    expect(await rows()).to.equal(1);
    const settled = gate.waiting()?.settledAt.getTime() ?? 0;
    expect(gate.countsSince()?.getTime(), 'what was handed out before is over').to.be.within(
      settled - 999,
      settled,
    );
    await backups.accept();
    await eventually(() => Promise.resolve(expect(gate.isOpen()).to.equal(true)));
    expect([gate.isSettled(), gate.waiting()]).to.deep.equal([false, null]);
  });

  it('keeps who asked, until evidence is added that they have not seen', async () => {
    await takeOver();
    await backups.note();
    const asked = async () => (await backups.pending())?.asked?.by ?? null;
    expect(await asked()).to.equal(null);
    await backups.ask('first');
    const since = (await backups.pending())?.asked?.at;
    await backups.ask('first');
    expect((await backups.pending())?.asked).to.deep.equal({ by: 'first', at: since });
    await backups.found([{ what: 'a list', isApplied: true }]);
    expect(await asked()).to.equal(null);
  });

  it('lost nothing when a process that ran on finds in it all that it knew', async () => {
    const running = await startGate(await here());
    await takeOver();
    const started = await startGate(await here());
    await eventually(() => Promise.resolve(expect(started.isOpen()).to.equal(true)));
    expect(running.isOpen()).to.equal(true);
    expect(await backups.pending()).to.equal(null);
  });

  it('lost something as far as a process knows that finds it on another server', async () => {
    await startGate('7/00000001/1/1');
    await takeOver();
    await eventually(() => Promise.resolve(expect(asked).to.be.above(2)));
    const started = await startGate(null);
    expect(started.isOpen()).to.equal(false);
  });

  it('lost something when no such process does', async () => {
    await startGate(null);
    await takeOver();
    const started = await startGate(null);
    await eventually(() => Promise.resolve(expect(asked).to.be.above(2)));
    expect(started.isOpen()).to.equal(false);
    expect(await backups.pending()).to.not.equal(null);
  });
});
