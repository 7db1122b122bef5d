import { expect } from 'chai';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { described, unseen } from '../../main/cli/upgrade.ts';
import { NotReady } from '../../application/ports/faults.ts';
import { notificationChannel } from '../../application/ports/notifications.ts';
import { createUpgrade } from '../../main/composition/upgrade.ts';
import { type KnownSchema, migrate, thisRelease } from '../../infrastructure/postgres/migrate.ts';
import { contract, expand } from '../../infrastructure/postgres/migrations/statements.ts';
import { noteDone } from '../../infrastructure/postgres/lastDone.ts';
import { createNotifications } from '../../infrastructure/postgres/notifications.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import {
  announced,
  createReleaseLevel,
  findProcesses,
  raiseLevel,
} from '../../infrastructure/postgres/releaseLevel.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';

const next: KnownSchema = {
  level: thisRelease.level + 1,
  migrations: {
    ...thisRelease.migrations,
    '998_add': expand(['create table added ()']),
    '999_take': contract(thisRelease.level + 1, ['drop table added']),
  },
};

describe('An upgrade', () => {
  let url: string;
  let pool: pg.Pool;
  let database: Kysely<unknown>;
  const running: { stop(): Promise<void> }[] = [];

  beforeEach(async () => {
    url = await migratedDatabase();
    pool = createPool({ url });
    database = createDatabase(pool);
  });

  afterEach(async () => {
    for (const each of running.splice(0)) await each.stop();
    await database.destroy();
  });

  /** A process of a release, as far as others see it. */
  async function started(known: number | null, reader = pool) {
    const failures: unknown[] = [];
    const outdated: unknown[] = [];
    const notifications = createNotifications({
      url,
      ...(known !== null && { name: announced('1.2.3', known, ['a mark']) }),
    });
    await notifications.start();
    running.push(notifications);
    const level = createReleaseLevel({
      pool: reader,
      feed: notifications,
      known: known ?? 1,
      onFailure: (cause) => failures.push(cause),
      onOutdated: (cause) => outdated.push(cause),
    });
    await level.start();
    running.push(level);
    return { level, failures, outdated, stop: () => notifications.stop() };
  }

  it('is not finished while a process of a former release runs, then reaches all', async () => {
    const upgrade = createUpgrade(database, next);
    const [former, current] = [await started(thisRelease.level), await started(next.level)];
    expect(await rejection(upgrade.finish())).to.match(
      new RegExp(
        `Processes of a former release are running: \\S+:${process.pid}\\. Upgrade or stop them`,
        'u',
      ),
    );
    expect(current.level.installation.reached).to.equal(thisRelease.level);
    expect(await upgrade.state()).to.include({ level: thisRelease.level, isOpen: true });

    await former.stop();
    await eventually(async () => expect(await findProcesses(database)).to.have.length(1));
    expect(await upgrade.finish()).to.deep.include({
      level: next.level,
      waiting: [],
      isOpen: false,
    });
    await eventually(() => expect(current.level.installation.reached).to.equal(next.level));
    expect(current.failures).to.deep.equal([]);

    // Asked once more, it changes nothing.
    expect(await upgrade.finish()).to.include({ level: next.level, isOpen: false });
    // One that was not seen, for it was only starting.
    expect(await rejection(started(thisRelease.level))).to.match(/belongs to a newer release/u);
  });

  it('takes a process that connected anew for no younger one', async () => {
    let ageMs = 0;
    const clock = { now: () => new Date(Date.UTC(2026, 0) + ageMs) };
    const notifications = createNotifications({ url, name: announced('1.2.3', 1, [], clock) });
    await notifications.start();
    running.push(notifications);
    const [before] = await findProcesses(database);
    ageMs = 3_600_000;
    await pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'tamga-wake %'`,
    );
    await eventually(async () => {
      const [after] = await findProcesses(database);
      expect(after?.since).to.not.deep.equal(before?.since);
      expect(after?.since).to.be.below(before?.since ?? new Date(0));
      expect(after?.name).to.equal(before?.name);
    });
  });

  it('says before what it does not see, and of the backup when it was made', async () => {
    const upgrade = createUpgrade(database, next);
    expect(unseen(await upgrade.state()).join('\n')).to.match(
      /restore a backup.*\n.*Check yourself:\n- that a backup was made: none is recorded/u,
    );
    const madeAt = new Date('2026-06-01T00:00:00.000Z');
    await noteDone(database, 'backup', madeAt);
    await noteDone(database, 'backup', new Date('2026-05-01T00:00:00.000Z'));
    expect(await upgrade.state()).to.deep.include({ lastBackup: madeAt });
    expect(unseen(await upgrade.state())[2]).to.match(/the backup of 2026-06-01T00:00:00\.000Z/u);
  });

  it('leaves a process of a former release, cut off meanwhile, not ready and writing nothing', async () => {
    const { level, failures, outdated } = await started(thisRelease.level);
    await level.check();
    await raiseLevel(database, next.level);
    await eventually(() => expect(String(failures[0])).to.match(/belongs to a newer release/u));
    expect(await rejection(level.check())).to.be.instanceOf(NotReady);
    expect(level.installation.leftBehind).to.equal(failures[0]);
    expect(failures).to.have.length(1);
    expect(outdated.map(String).join()).to.match(
      /belongs to a newer release: its upgrade was finished/u,
    );
  });

  it('is noticed by a process that could not read its level at once', async () => {
    const { level, failures } = await started(next.level);
    await pool.query('alter table release_level rename to hidden');
    await pool.query(`select pg_notify($1, 'level')`, [notificationChannel]);
    await eventually(() => expect(failures).to.have.length(1));
    await pool.query(`update hidden set level = ${next.level}`);
    await pool.query('alter table hidden rename to release_level');
    await eventually(() => expect(level.installation.reached).to.equal(next.level));
    expect(failures).to.have.length(1);
  });

  it('is noticed by a process that starts while it is finished', async () => {
    let isRaised = false;
    const reading = Object.assign(Object.create(pool) as pg.Pool, {
      async query(text: string) {
        const answer = await pool.query(text);
        if (!isRaised) {
          isRaised = true;
          const told = createNotifications({ url });
          await told.start();
          const heard = told.listen('level').changed;
          await raiseLevel(database, next.level);
          await heard;
          await told.stop();
        }
        return answer;
      },
    });
    const { level } = await started(next.level, reading);
    await eventually(() => expect(level.installation.reached).to.equal(next.level));
  });

  it('counts processes of releases before levels', async () => {
    await started(null);
    expect(await rejection(createUpgrade(database, next).finish())).to.match(
      /former release are running/u,
    );
  });

  it('is shown with its processes and what waits', async () => {
    await migrate(database, next);
    await started(thisRelease.level);
    await started(next.level);
    const lines = described(await createUpgrade(database, next).state());
    expect(lines.join('\n').replaceAll(/ \S+, since \S+/gu, '')).to.match(
      /^The installation is at level 1; this release knows 2\.\n {2}former {3}\S+ {2}release 1\.2\.3, level\n {2}current {2}\S+ {2}release 1\.2\.3, level\nWaiting migrations: 999_take\.\nThe former release can be started again until/u,
    );
  });
});
