import type pg from 'pg';
import type { AloneIn } from '../../application/registerImport/ports/writableRegister.ts';
import { orUnavailable } from '../postgres/availability.ts';

/** Lets one process at a time import into a register: a lock that ends with its connection. */
export function createAloneInRegister(pool: pg.Pool): AloneIn {
  return async (register, work) => {
    const client = await orUnavailable('database', () => pool.connect());
    const key = [`tamga-register-import:${register}`];
    let isLocked = false;
    try {
      const { rows } = await orUnavailable('database', () =>
        client.query<{ locked: boolean }>(
          'select pg_try_advisory_lock(hashtextextended($1, 0)) as locked',
          key,
        ),
      );
      isLocked = rows[0]?.locked === true;
      if (!isLocked) throw new Error('Another import into this register runs: wait for its end.');
      return await work();
    } finally {
      const unlocked = !isLocked || (await unlock(client, key));
      client.release(!unlocked);
    }
  };
}

async function unlock(client: pg.PoolClient, key: readonly string[]): Promise<boolean> {
  const unlocking = client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [...key]);
  return unlocking.then(
    () => true,
    () => false,
  );
}
