import { expect } from 'chai';
import { migrate } from '../../infrastructure/postgres/migrate.ts';
import { createPostgresOidcState } from '../../infrastructure/postgres/oidcState.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { oidcStateContract } from '../contracts/oidcStateContract.ts';
import { memoryOidcState } from '../support/doubles/memoryOidcState.ts';
import { freshDatabase } from '../support/programs/postgres.ts';
import { testVault } from '../support/doubles/vault.ts';

describe('The state of the OpenID Connect provider', () => {
  describe('in memory', () => {
    oidcStateContract(() => Promise.resolve(memoryOidcState()));
  });

  describe('in PostgreSQL', () => {
    const vault = testVault();
    let pool: ReturnType<typeof createPool>;

    before(async () => {
      pool = createPool({ url: await freshDatabase(), max: 4, queryTimeoutMs: 5000 });
      await migrate(createDatabase(pool));
    });

    after(() => pool.end());

    oidcStateContract(async () => {
      await pool.query('delete from oidc_state');
      return createPostgresOidcState({ pool, vault });
    });

    it('has nothing in it that opens something, and nothing of who is forgotten', async () => {
      const state = createPostgresOidcState({ pool, vault });
      const expiresAt = new Date(Date.now() + 60_000);
      await state.put({
        kind: 'RefreshToken',
        id: 'a secret token',
        payload: { jti: 'a secret token' },
        civilId: '110000000009',
        clientId: null,
        grantId: 'a secret grant',
        uid: null,
        expiresAt,
      });
      const { rows } = await pool.query('select * from oidc_state');
      const text = JSON.stringify(rows, (_key, value: unknown) =>
        Buffer.isBuffer(value) ? value.toString('latin1') : value,
      );
      expect(text).not.to.match(/a secret/);
      await vault.forget('110000000009');
      expect(await state.find('RefreshToken', 'a secret token', new Date())).to.equal(null);
    });
  });
});
