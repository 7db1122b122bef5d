import { soleWrappingKey } from '../../infrastructure/codec/wrappingKeys.ts';
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import type { Kysely } from 'kysely';
import type pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';
import { createPostgresEncryptedKeys } from '../../infrastructure/hsm/postgresEncryptedKeys.ts';
import { createSoftwareKeyVault } from '../../infrastructure/hsm/softwareKeyVault.ts';
import { createPostgresCaCertificates } from '../../infrastructure/postgres/caCertificates.ts';
import { createEcdsaDigestPool } from '../../infrastructure/pki/ecdsaDigestPool.ts';
import { migrate } from '../../infrastructure/postgres/migrate.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { describeKeyVault, type VaultUnderTest } from '../contracts/keyVaultContract.ts';
import { rejection } from '../support/assertions/rejection.ts';
import { createMemoryEncryptedKeys, startTestAuthority } from '../support/doubles/memoryPki.ts';
import { freshDatabase } from '../support/programs/postgres.ts';

describe('Software key vault', () => {
  const wrapping = soleWrappingKey(randomBytes(32));
  const ecdsaDigests = createEcdsaDigestPool({ threads: 1 });
  let pool: pg.Pool;
  let database: Kysely<unknown>;

  const onPostgres = () =>
    createSoftwareKeyVault({ keys: createPostgresEncryptedKeys(pool), wrapping, ecdsaDigests });

  before(async () => {
    pool = createPool({ url: await freshDatabase() });
    database = createDatabase(pool);
    await migrate(database);
  });

  after(async () => {
    await database.destroy();
    await ecdsaDigests.stop();
  });

  describeKeyVault('Software key vault on PostgreSQL', () => ({
    vault: onPostgres(),
    sibling: onPostgres(),
  }));

  const shared = createMemoryEncryptedKeys();
  const inMemory = () => createSoftwareKeyVault({ keys: shared, wrapping, ecdsaDigests });
  describeKeyVault('Software key vault in memory', (): VaultUnderTest => ({
    vault: inMemory(),
    sibling: inMemory(),
  }));

  it('keeps no private key in the clear', async () => {
    const vault = onPostgres();
    await vault.ensureKey('sealed', 'P-256');
    const { rows } = await pool.query<{ sealed: Buffer }>(
      "select sealed from software_key where label = 'sealed'",
    );
    const ecPublicKeyOid = Buffer.from('06072a8648ce3d0201', 'hex');
    expect(rows[0]?.sealed.includes(ecPublicKeyOid)).to.equal(false);
  });

  it('does not open a key under another master key', async () => {
    await onPostgres().ensureKey('guarded', 'P-256');
    const stranger = createSoftwareKeyVault({
      keys: createPostgresEncryptedKeys(pool),
      wrapping: soleWrappingKey(randomBytes(32)),
      ecdsaDigests,
    });
    const error = await rejection(stranger.findKey('guarded'));
    expect(error).to.have.property(
      'message',
      'The software key guarded cannot be decrypted with this master key.',
    );
  });

  it('does not open a row moved to another label', async () => {
    await onPostgres().ensureKey('honest', 'P-256');
    await pool.query(
      `insert into software_key (label, type, public_key, sealed)
       select 'moved', type, public_key, sealed from software_key where label = 'honest'`,
    );
    await rejection(onPostgres().findKey('moved'));
  });

  it('names the key vault as unavailable when the database is down', async () => {
    const away = createPool({ url: 'postgres://nobody@127.0.0.1:1/none' });
    const vault = createSoftwareKeyVault({
      keys: createPostgresEncryptedKeys(away),
      wrapping,
      ecdsaDigests,
    });
    const error = await rejection(vault.check());
    expect(error).to.be.instanceOf(Unavailable).with.property('dependency', 'keyVault');
    await away.end();
  });

  it('lets several starting processes settle on the same authorities', async () => {
    const start = () =>
      startTestAuthority({
        vault: onPostgres(),
        certificates: createPostgresCaCertificates(pool),
      });
    const started = await Promise.all([start(), start(), start()]);
    for (const { authority } of started) {
      expect(authority.certificates).to.deep.equal(started[0].authority.certificates);
    }
  });
});
