import type pg from 'pg';
import { Unavailable } from '../../application/ports/faults.ts';
import type { IssuingAuthority } from '../../domain/shared/issuingCas.ts';
import type { CaCertificates } from '../pki/caCertificates.ts';
import { orUnavailable } from './pool.ts';

/** The authorities' certificates in the table `ca_certificate`. @throws Unavailable(database) */
export function createPostgresCaCertificates(pool: pg.Pool | pg.PoolClient): CaCertificates {
  const query = (text: string, values: readonly unknown[] = []) =>
    orUnavailable('database', async () => {
      const { rows } = await pool.query<{ name: IssuingAuthority; certificate: Buffer }>(text, [
        ...values,
      ]);
      return rows;
    });

  async function find(name: IssuingAuthority): Promise<Buffer | null> {
    const [row] = await query('select name, certificate from ca_certificate where name = $1', [
      name,
    ]);
    return row?.certificate ?? null;
  }

  return {
    find,
    async all() {
      const rows = await query('select name, certificate from ca_certificate');
      return new Map(rows.map(({ name, certificate }) => [name, certificate]));
    },
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

/** A certificate of an authority that is kept. */
export interface InstalledCertificate {
  /** DER. */
  readonly certificate: Buffer;
  /** Time of the database. */
  readonly installedAt: Date;
}

/** Null: there is none. @throws Unavailable(database) */
export async function findCaCertificate(
  pool: pg.Pool,
  name: IssuingAuthority,
): Promise<InstalledCertificate | null> {
  const { rows } = await orUnavailable('database', () =>
    pool.query<InstalledCertificate>(
      `select certificate, created_at as "installedAt" from ca_certificate where name = $1`,
      [name],
    ),
  );
  return rows[0] ?? null;
}
