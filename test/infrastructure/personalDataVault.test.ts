import { expect } from 'chai';
import type pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';
import { createMemoryPersonKeys } from '../support/doubles/memoryPersonKeys.ts';
import { createPersonalDataVault } from '../../infrastructure/codec/personalDataVault.ts';
import { createPostgresPersonKeys } from '../../infrastructure/codec/postgresPersonKeys.ts';
import { migrate } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { personalDataVaultContract } from '../contracts/personalDataVaultContract.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { testMasterKey } from '../support/doubles/vault.ts';

describe('the personal data vault in memory', () => {
  personalDataVaultContract(() => {
    const keys = createMemoryPersonKeys();
    return Promise.resolve(() => keys);
  });
});

describe('the personal data vault in PostgreSQL', () => {
  let pool: pg.Pool;

  before(async () => {
    pool = createPool({ url: await freshDatabase() });
    await migrate(createDatabase(pool));
  });

  after(() => pool.end());

  personalDataVaultContract(async () => {
    await pool.query('truncate person_key, forgotten_person');
    return () => createPostgresPersonKeys({ pool });
  });

  it('lets a person be forgotten while a long transaction reads the keys', async () => {
    const keys = createPostgresPersonKeys({ pool });
    const vault = createPersonalDataVault({ keys, masterKey: testMasterKey });
    const encrypted = await vault.encrypt('110000000001', 'private');
    const dump = await pool.connect();
    await dump.query('begin isolation level repeatable read');
    await dump.query('select count(*) from forgotten_person');
    await vault.forget('110000000001');
    await dump.query('commit');
    dump.release();
    expect(await vault.decrypt('110000000001', encrypted)).to.equal(null);
  });

  it('names the database as unavailable when it is down, also for keys in memory once they are stale', async () => {
    let now = 0;
    const away = createPool({ url: 'postgres://tamga@127.0.0.1:1/tamga' });
    const cut = createPersonalDataVault({
      keys: createPostgresPersonKeys({ pool: away }),
      masterKey: testMasterKey,
    });
    const fault = await rejection(cut.encrypt('110000000001', 'x'));
    expect(fault).to.be.instanceOf(Unavailable);
    expect((fault as Unavailable).dependency).to.equal('database');

    const keys = createPostgresPersonKeys({ pool });
    let isAway = false;
    const vault = createPersonalDataVault({
      keys: {
        ...keys,
        destroyedAfter: (cursor) =>
          isAway ? Promise.reject(new Unavailable('database')) : keys.destroyedAfter(cursor),
      },
      masterKey: testMasterKey,
      elapsed: () => now,
    });
    const encrypted = await vault.encrypt('110000000003', 'private');
    isAway = true;
    now += 2999;
    expect(await vault.decrypt('110000000003', encrypted)).to.equal('private');
    now += 2;
    expect(await rejection(vault.decrypt('110000000003', encrypted))).to.be.instanceOf(Unavailable);
    isAway = false;
    expect(await vault.decrypt('110000000003', encrypted)).to.equal('private');
    await away.end();
  });
});
