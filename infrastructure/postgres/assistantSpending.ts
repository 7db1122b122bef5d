import type pg from 'pg';
import type { SpendingLedger } from '../../application/assistant/ports/spending.ts';
import { failingFast } from './pool.ts';

/** The table `assistant_spending`, shared by all processes. */
export function createPostgresSpending({ pool }: { readonly pool: pg.Pool }): SpendingLedger {
  return failingFast<SpendingLedger>({
    async spent(day, scope) {
      const { rows } = await pool.query<{ amount: string }>(
        'select amount from assistant_spending where day = $1 and scope = $2',
        [day, scope],
      );
      return BigInt(rows[0]?.amount ?? 0);
    },
    async add(day, scope, amount) {
      await pool.query(
        `insert into assistant_spending (day, scope, amount) values ($1, $2, $3)
         on conflict (day, scope) do update set amount = assistant_spending.amount + excluded.amount`,
        [day, scope, String(amount)],
      );
    },
  });
}
