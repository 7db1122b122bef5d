import { expect } from 'chai';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { thisRelease } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { raiseLevel } from '../../infrastructure/postgres/releaseLevel.ts';
import { eventually } from '../support/assertions/eventually.ts';
import { migratedDatabase } from '../support/events/eventLogs.ts';
import { createServiceHere } from '../support/installation/serviceHere.ts';
import { createServiceProcess } from '../support/installation/serviceProcess.ts';

describe('A finished upgrade', function () {
  this.timeout(120_000);
  let url: string;
  let pool: pg.Pool;
  let database: Kysely<unknown>;

  beforeEach(async () => {
    url = await migratedDatabase();
    pool = createPool({ url });
    database = createDatabase(pool);
  });

  afterEach(() => database.destroy());

  it('ends a process of the former release with 78, and says why', async () => {
    const former = await createServiceProcess({ SVC_DATABASE_URL: url });
    await former.start();
    await raiseLevel(database, thisRelease.level + 1);
    await eventually(() => expect(former.hasEnded()).to.equal(true), 30_000);
    expect(await former.stop()).to.equal(78);
    expect(former.output()).to.match(
      /tamga: The database \(SVC_DATABASE_URL\) belongs to a newer release: its upgrade was finished at level 2, .*Start the newer release/u,
    );
  });

  it('is left in the log once, by whom', async () => {
    const service = createServiceHere({
      SVC_DATABASE_URL: url,
      SVC_ROLES: 'projector',
      SVC_LOG_LEVEL: 'silent',
    });
    await service.start();
    await service.noteUpgrade(2);
    await service.noteUpgrade(2);
    await service.stop();
    const { rows } = await pool.query<{ data: string; metadata: string }>(
      `select data, metadata from event where type = 'UpgradeFinished'`,
    );
    expect(rows).to.have.length(1);
    expect(rows[0]?.data).to.match(/"level":2,"release":"\d+\./u);
    expect(rows[0]?.metadata).to.include('"command line"');
  });
});
