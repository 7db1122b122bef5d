import { expect } from 'chai';
import { migrate } from '../../infrastructure/postgres/migrate.ts';
import { createPostgresOidcState } from '../../infrastructure/postgres/oidcState.ts';
import { createDatabase, createPool } from '../../infrastructure/postgres/pool.ts';
import { oidcStateContract } from '../contracts/oidcStateContract.ts';
import { memoryOidcState } from '../support/doubles/memoryOidcState.ts';
import { until } from '../support/assertions/waiting.ts';
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

    it('keeps nothing that a login was writing while all of the citizen was removed', async () => {
      const civilId = '110000000001';
      const expiresAt = new Date(Date.now() + 60_000);
      const alone = { payload: {}, civilId, clientId: null, grantId: null, expiresAt };
      const session = (id: string) => ({ ...alone, kind: 'Session', id, uid: 'a uid' });
      const grant = { ...alone, kind: 'Grant', id: 'a grant', uid: null, grantId: 'a grant' };
      const isWriting = Promise.withResolvers<undefined>();
      const mayWrite = Promise.withResolvers<undefined>();
      const state = createPostgresOidcState({ pool, vault });
      const slow = createPostgresOidcState({
        pool,
        vault: {
          decrypt: (...sealed) => vault.decrypt(...sealed),
          async encrypt(...text) {
            isWriting.resolve(undefined);
            await mayWrite.promise;
            return vault.encrypt(...text);
          },
        },
      });
      await state.put(session('one tab'), session('another tab'));

      const written = slow.putShared(session('a third'), () => ({}), grant);
      await isWriting.promise;
      const removed = state.removeOfCitizen(civilId);
      await until(isLocked);
      mayWrite.resolve(undefined);
      await Promise.all([written, removed]);

      expect(await state.findByUid('Session', 'a uid', new Date())).to.equal(null);
      expect(await state.find('Grant', 'a grant', new Date())).to.equal(null);
    });

    async function isLocked(): Promise<boolean> {
      const { rows } = await pool.query(
        `select 1 from pg_stat_activity
         where wait_event_type = 'Lock' and datname = current_database()`,
      );
      return rows.length > 0;
    }

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
