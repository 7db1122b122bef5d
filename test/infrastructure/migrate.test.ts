import { expect } from 'chai';
import type { Kysely } from 'kysely';
import pg from 'pg';
import {
  assertKnownSchema,
  contractsWaiting,
  type KnownSchema,
  migrate,
  thisRelease,
  UnknownSchema,
} from '../../infrastructure/postgres/migrate.ts';
import { contract, expand } from '../../infrastructure/postgres/migrations/statements.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { raiseLevel } from '../../infrastructure/postgres/releaseLevel.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

/** The release after this one. */
const next: KnownSchema = {
  level: thisRelease.level + 1,
  migrations: {
    ...thisRelease.migrations,
    '998_add': expand(['alter table job add column added integer not null default 7']),
    '999_take': contract(thisRelease.level + 1, ['alter table job drop column last_error']),
  },
};

describe('Migrations', () => {
  let url: string;
  let admin: pg.Client;
  let database: Kysely<unknown>;

  async function open(at: string) {
    url = at;
    admin = new pg.Client({ connectionString: url });
    await admin.connect();
    database = createDatabase<unknown>(createPool({ url, max: 2 }));
  }

  beforeEach(async () => open(await migratedDatabase()));

  afterEach(async () => {
    await database.destroy();
    await admin.end();
  });

  const columns = async () => {
    const { rows } = await admin.query<{ name: string }>(
      `select column_name as name from information_schema.columns where table_name = 'job'`,
    );
    return rows.map(({ name }) => name);
  };

  it('O3: add at once, and let the release of before run on', async () => {
    await migrate(database, next);
    expect(await columns()).to.include.members(['added', 'last_error']);
    expect(contractsWaiting(await assertKnownSchema(database, next), next)).to.deep.equal([
      '999_take',
    ]);

    expect((await migrate(database)).newer).to.deep.equal(['998_add']);
    await admin.query(`insert into job (id, name, payload) values ('1', 'old', '{}')`);
  });

  it('take away once the level was raised, after which the release of before is refused', async () => {
    await migrate(database, next);
    await raiseLevel(database, next.level);
    expect(await columns()).to.include('last_error');
    await migrate(database, next);
    expect(await columns()).to.not.include('last_error');
    expect(contractsWaiting(await assertKnownSchema(database, next), next)).to.deep.equal([]);

    for (const refused of [migrate(database), assertKnownSchema(database)]) {
      const error = (await rejection(refused)) as Error;
      expect(error).to.be.instanceOf(UnknownSchema);
      expect(error.message).to.match(
        /belongs to a newer release: .* at level 2, but this release knows level 1/u,
      );
    }
  });

  it('take away in the middle of those of later releases', async () => {
    await migrate(database, next);
    const later = {
      level: next.level,
      migrations: { ...next.migrations, '9991_later': expand(['create table later ()']) },
    };
    await migrate(database, later);
    await raiseLevel(database, later.level);
    await migrate(database, later);
    expect(await columns()).to.not.include('last_error');
  });

  it('begin at the level of the release on an empty database', async () => {
    const empty = createDatabase<unknown>(createPool({ url: await freshDatabase(), max: 2 }));
    await migrate(empty, next);
    const { level, applied } = await assertKnownSchema(empty, next);
    await empty.destroy();
    expect(level).to.equal(next.level);
    expect(applied).to.include('999_take');
  });

  it('are executed once by processes that start together', async () => {
    const empty = await freshDatabase();
    const starting = Array.from({ length: 4 }, () =>
      createDatabase<unknown>(createPool({ url: empty, max: 2 })),
    );
    await Promise.all(starting.map((each) => migrate(each, next)));
    const found = await Promise.all(starting.map((each) => assertKnownSchema(each, next)));
    expect(new Set(found.map(({ level }) => level))).to.deep.equal(new Set([next.level]));
    await Promise.all(starting.map((each) => each.destroy()));
  });

  it('give way to those who read a table for long, and try again', async function () {
    this.timeout(20_000);
    const reader = new pg.Client({ connectionString: url });
    await reader.connect();
    await reader.query('begin; select from job');
    let isDone = false;
    const migrating = migrate(database, next).finally(() => (isDone = true));
    const waiting = async () =>
      (await admin.query('select from pg_locks where not granted')).rowCount ?? 0;
    await eventually(async () => expect(await waiting()).to.equal(1));
    // Waits behind the migration, which ends its own wait.
    await admin.query(`set statement_timeout = '5s'; select from job`);
    expect(isDone).to.equal(false);
    await eventually(async () => expect(await waiting()).to.equal(1));
    await reader.query('commit');
    await reader.end();
    await migrating;
    expect(await columns()).to.include('added');
  });
});
