import type pg from 'pg';
import type { OidcSigningKeys } from '../../application/openIdConnect/ports/oidcSigningKeys.ts';
import { failingFast } from './pool.ts';

interface Row {
  readonly number: number;
  readonly label: string;
  readonly active_from: Date;
}

/** The provider's keys in the table `oidc_signing_key`. */
export function createPostgresOidcSigningKeys(pool: pg.Pool): OidcSigningKeys {
  return failingFast<OidcSigningKeys>({
    async all() {
      const { rows } = await pool.query<Row>(
        'select number, label, active_from from oidc_signing_key order by number',
      );
      return rows.map(({ number, label, active_from: activeFrom }) => ({
        number,
        label,
        activeFrom,
      }));
    },
    async introduce({ number, label, activeFrom }) {
      await pool.query(
        `insert into oidc_signing_key (number, label, active_from) values ($1, $2, $3)
         on conflict do nothing`,
        [number, label, activeFrom],
      );
    },
    async activate(number, now) {
      await pool.query(
        'update oidc_signing_key set active_from = $2 where number = $1 and active_from > $2',
        [number, now],
      );
    },
  });
}
