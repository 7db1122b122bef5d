import type pg from 'pg';
import type { EndedSessions } from '../../application/operator/ports/endedSessions.ts';
import { failingFast } from './pool.ts';

/** Ended sessions in the table `ended_operator_session`, read at each request: no process may admit one from memory. */
export function createPostgresEndedSessions(pool: pg.Pool): EndedSessions {
  return failingFast<EndedSessions>({
    async end(sessionId, tokensExpireAt) {
      await pool.query('delete from ended_operator_session where tokens_expire_at < now()');
      await pool.query(
        `insert into ended_operator_session (session_id, tokens_expire_at) values ($1, $2)
         on conflict (session_id) do nothing`,
        [sessionId, tokensExpireAt],
      );
    },
    async isEnded(sessionId) {
      const { rowCount } = await pool.query(
        'select 1 from ended_operator_session where session_id = $1',
        [sessionId],
      );
      return rowCount === 1;
    },
  });
}
