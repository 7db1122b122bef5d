import type pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';
import type { CaCertificates, CaName } from '../pki/caCertificates.ts';

/** The authorities' certificates in the table `ca_certificate`. @throws Unavailable(database) */
export function createPostgresCaCertificates(pool: pg.Pool | pg.PoolClient): CaCertificates {
  async function query(text: string, values: readonly unknown[]): Promise<Buffer | null> {
    try {
      const { rows } = await pool.query<{ certificate: Buffer }>(text, [...values]);
      return rows[0]?.certificate ?? null;
    } catch (error) {
      throw new Unavailable('database', error);
    }
  }

  const find = (name: CaName) =>
    query('select certificate from ca_certificate where name = $1', [name]);

  return {
    find,
    async keep(name, certificate) {
      await query(
        'insert into ca_certificate (name, certificate) values ($1, $2) on conflict (name) do nothing',
        [name, certificate],
      );
      const kept = await find(name);
      if (kept === null) throw new Unavailable('database');
      return kept;
    },
  };
}
