import type pg from 'pg';
import type { FollowedLog } from '../../application/log/ports/followedLog.ts';
import { orUnavailable } from './pool.ts';
import { createAdvisoryLock } from './advisoryLock.ts';

interface Row {
  readonly installationId: string | null;
  readonly epoch: number | null;
  readonly wrappingKeyFingerprint: string | null;
  readonly followedTo: bigint | null;
  readonly isNew: boolean;
  readonly source: string | null;
  readonly destination: string | null;
}

const LOAD = `
  select installation_id as "installationId", epoch,
    wrapping_key_fingerprint as "wrappingKeyFingerprint",
    (select max(position) from
      (select position from checkpoint union all select last_position from audit_tree) as kept
    ) as "followedTo",
    not (
      exists (select from event) or exists (select from person_key)
      or exists (select from ca_certificate)
    ) as "isNew",
    log_move.source, log_move.destination
  from (select) as always left join log_identity on true left join log_move on true`;

/** {@link FollowedLog} in the table `log_identity`. */
export function createPostgresFollowedLog(pool: pg.Pool): FollowedLog {
  const withLock = createAdvisoryLock(pool);
  return {
    async load() {
      const { rows } = await orUnavailable('database', () => pool.query<Row>(LOAD));
      const [row] = rows;
      if (row === undefined) throw new Error('The query returned no row.');
      const { installationId, epoch, wrappingKeyFingerprint, source, destination } = row;
      const isTold = installationId !== null && epoch !== null && wrappingKeyFingerprint !== null;
      return {
        followed: isTold ? { installationId, epoch, wrappingKeyFingerprint } : null,
        followedTo: row.followedTo,
        isDatabaseNew: row.isNew && row.followedTo === null,
        move: source === null || destination === null ? null : { source, destination },
      };
    },
    async keep({ installationId, epoch, wrappingKeyFingerprint }) {
      await orUnavailable('database', () =>
        pool.query(
          `insert into log_identity (installation_id, epoch, wrapping_key_fingerprint)
           values ($1, $2, $3)
           on conflict (singleton) do update set installation_id = excluded.installation_id,
             epoch = excluded.epoch, wrapping_key_fingerprint = excluded.wrapping_key_fingerprint`,
          [installationId, epoch, wrappingKeyFingerprint],
        ),
      );
    },
    withLock: (work) => withLock('log identity', work),
  };
}
