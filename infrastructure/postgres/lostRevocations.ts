import type pg from 'pg';
import type { LostRevocations } from '../../application/log/ports/evidence.ts';
import { orUnavailable } from './availability.ts';

/** {@link LostRevocations} in the table `lost_revocation`. */
export function createPostgresLostRevocations(pool: pg.Pool): LostRevocations {
  return {
    keep: ({ serial, authority, reason, revokedAt, notAfter }) =>
      orUnavailable('database', async () => {
        const { rowCount } = await pool.query(
          `insert into lost_revocation (serial, authority, reason, revoked_at, not_after)
           values ($1, $2, $3, $4, $5) on conflict (serial) do nothing`,
          [serial, authority, reason, revokedAt, notAfter],
        );
        return rowCount === 1;
      }),
  };
}
