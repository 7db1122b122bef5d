import { expect } from 'chai';
import type pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';
import { migrate } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { createMemoryCivilRegistry } from '../support/doubles/memoryCivilRegistry.ts';
import { createPostgresCivilRegistry } from '../../infrastructure/registry/postgresCivilRegistry.ts';
import { civilRegistryContract } from '../contracts/civilRegistryContract.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { testVault } from '../support/doubles/vault.ts';

describe('the civil registry in memory', () => {
  civilRegistryContract(() => {
    const vault = testVault();
    return Promise.resolve({ vault, registry: createMemoryCivilRegistry({ vault }) });
  });
});

describe('the civil registry in PostgreSQL', () => {
  let pool: pg.Pool;

  before(async () => {
    pool = createPool({ url: await freshDatabase() });
    await migrate(createDatabase(pool));
  });

  after(() => pool.end());

  civilRegistryContract(async () => {
    await pool.query('truncate civil_registry');
    const vault = testVault();
    return { vault, registry: createPostgresCivilRegistry({ pool, vault }) };
  });

  it('names the civil registry as unavailable when its database is down', async () => {
    const away = createPool({ url: 'postgres://tamga@127.0.0.1:1/tamga' });
    const registry = createPostgresCivilRegistry({ pool: away, vault: testVault() });
    const fault = await rejection(registry.find({ type: 'civilId', civilId: '130000000001' }));
    expect(fault).to.be.instanceOf(Unavailable);
    expect((fault as Unavailable).dependency).to.equal('civilRegistry');
    await away.end();
  });
});
