import type pg from 'pg';
import type { DeadLetter, DeadLetterList } from '../../application/reactors/ports/deadLetters.ts';
import { failingFast } from './pool.ts';

/** Dead letters in the table `dead_letter`. */
export function createPostgresDeadLetters(pool: pg.Pool): DeadLetterList {
  return failingFast<DeadLetterList>({
    async add({ reactor, eventId, stream, revision, error, attempts }) {
      await pool.query(
        `insert into dead_letter as present (reactor, event_id, stream, revision, error, attempts)
         values ($1, $2, $3, $4, $5, $6)
         on conflict (reactor, event_id) do update
           set error = excluded.error, attempts = present.attempts + excluded.attempts`,
        [reactor, eventId, stream, revision, error, attempts],
      );
    },
    async list() {
      const { rows } = await pool.query<
        Omit<DeadLetter, 'revision'> & { readonly revision: string; readonly since: Date }
      >(
        `select reactor, event_id as "eventId", stream, revision::text, error, attempts, since
         from dead_letter order by reactor, since, event_id`,
      );
      return rows.map((row) => ({ ...row, revision: BigInt(row.revision) }));
    },
    async counts() {
      const { rows } = await pool.query<{ reactor: string; count: number }>(
        'select reactor, count(*)::int as count from dead_letter group by reactor',
      );
      return new Map(rows.map(({ reactor, count }) => [reactor, count]));
    },
    async remove({ reactor, eventId }) {
      await pool.query('delete from dead_letter where reactor = $1 and event_id = $2', [
        reactor,
        eventId,
      ]);
    },
  });
}
