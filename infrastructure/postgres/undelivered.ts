import type pg from 'pg';
import type {
  RecipientsUndelivered,
  UndeliveredList,
} from '../../application/ports/undelivered.ts';
import { failingFast } from './pool.ts';

/** Deliveries that were not taken, in the table `undelivered`. */
export function createPostgresUndelivered(pool: pg.Pool): UndeliveredList {
  return failingFast<UndeliveredList>({
    async put({ id, kind, clientId, since, attempts, reason, triedAt, isGivenUp }) {
      await pool.query(
        `with old as (
           delete from undelivered where tried_at < $6::timestamptz - interval '7 days'
         )
         insert into undelivered (id, client_id, since, attempts, reason, tried_at, given_up, kind)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (id) do update set attempts = excluded.attempts, reason = excluded.reason,
           tried_at = excluded.tried_at, given_up = excluded.given_up`,
        [id, clientId, since, attempts, reason, triedAt, isGivenUp, kind],
      );
    },
    async remove(id) {
      await pool.query('delete from undelivered where id = $1', [id]);
    },
    async list() {
      const { rows } = await pool.query<RecipientsUndelivered>(
        `select kind, client_id as "clientId",
           count(*) filter (where not given_up)::int as waiting,
           count(*) filter (where given_up)::int as "givenUp",
           min(since) as since, max(attempts) as attempts,
           (array_agg(reason order by tried_at desc))[1] as reason
         from undelivered where tried_at >= now() - interval '7 days'
         group by kind, client_id order by min(since), kind, client_id limit 100`,
      );
      return rows;
    },
  });
}
