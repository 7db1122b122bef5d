import type pg from 'pg';
import type { LostRevocations } from '../../application/log/ports/evidence.ts';
import type { IssuingAuthority } from '../../domain/shared/issuingCas.ts';
import { revocationReasons } from '../../domain/shared/revocationReason.ts';
import { orUnavailable } from './pool.ts';

const { certificateHold } = revocationReasons;

/** {@link LostRevocations} in the table `lost_revocation`; a hold may become a revocation. */
export function createPostgresLostRevocations(pool: pg.Pool): LostRevocations {
  return {
    keep: ({ serial, authority, reason, revokedAt, notAfter }) =>
      orUnavailable('database', async () => {
        const { rowCount } = await pool.query(
          `insert into lost_revocation (serial, authority, reason, revoked_at, not_after)
           values ($1, $2, $3, $4, $5) on conflict (serial) do update set reason = excluded.reason, revoked_at = excluded.revoked_at
             where lost_revocation.reason = ${certificateHold} and excluded.reason <> ${certificateHold}`,
          [serial, authority, reason, revokedAt, notAfter],
        );
        return rowCount === 1;
      }),
  };
}

/** Authorities that issued what a restored backup had not. @throws Unavailable(database) */
export async function lostAuthorities(pool: pg.Pool): Promise<ReadonlySet<IssuingAuthority>> {
  const { rows } = await orUnavailable('database', () =>
    pool.query<{ readonly authority: IssuingAuthority }>(
      'select distinct authority from lost_revocation',
    ),
  );
  return new Set(rows.map(({ authority }) => authority));
}
