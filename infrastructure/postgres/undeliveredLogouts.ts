import type pg from 'pg';
import type {
  ClientsUndelivered,
  UndeliveredLogoutList,
} from '../../application/openIdConnect/ports/undeliveredLogouts.ts';
import { failingFast } from './availability.ts';

/** Undelivered logout tokens in the table `undelivered_logout`. */
export function createPostgresUndeliveredLogouts(pool: pg.Pool): UndeliveredLogoutList {
  return failingFast<UndeliveredLogoutList>({
    async put({ id, clientId, since, attempts, reason, triedAt, isGivenUp }) {
      await pool.query(
        `with old as (
           delete from undelivered_logout where tried_at < $6::timestamptz - interval '7 days'
         )
         insert into undelivered_logout (id, client_id, since, attempts, reason, tried_at, given_up)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (id) do update set attempts = excluded.attempts, reason = excluded.reason,
           tried_at = excluded.tried_at, given_up = excluded.given_up`,
        [id, clientId, since, attempts, reason, triedAt, isGivenUp],
      );
    },
    async remove(id) {
      await pool.query('delete from undelivered_logout where id = $1', [id]);
    },
    async list() {
      const { rows } = await pool.query<ClientsUndelivered>(
        `select client_id as "clientId",
           count(*) filter (where not given_up)::int as waiting,
           count(*) filter (where given_up)::int as "givenUp",
           min(since) as since, max(attempts) as attempts,
           (array_agg(reason order by tried_at desc))[1] as reason
         from undelivered_logout where tried_at >= now() - interval '7 days'
         group by client_id order by min(since), client_id limit 100`,
      );
      return rows;
    },
  });
}
