import type pg from 'pg';
import type { Finding, RestoredBackups } from '../../application/log/ports/restoredBackups.ts';
import { inTransaction, orUnavailable } from './pool.ts';

interface Row {
  readonly made_at: Date;
  readonly restored_at: Date;
  readonly head: bigint | null;
  readonly events: bigint;
  readonly root: string;
  readonly findings: readonly Finding[];
}

/** {@link RestoredBackups} in the table `restored_backup`. */
export function createPostgresRestoredBackups(pool: pg.Pool): RestoredBackups {
  return {
    pending: () =>
      orUnavailable('database', async () => {
        const { rows } = await pool.query<Row>(
          `select made_at, restored_at, head, events, root, findings from restored_backup
           where accepted_at is null`,
        );
        const [row] = rows;
        if (row === undefined) return null;
        const { made_at: madeAt, restored_at: restoredAt, events, ...rest } = row;
        return { madeAt, restoredAt, events: Number(events), ...rest };
      }),
    found: (findings) =>
      orUnavailable('database', async () => {
        await pool.query(
          'update restored_backup set findings = findings || $1::jsonb where accepted_at is null',
          [JSON.stringify(findings)],
        );
      }),
    accept: () =>
      orUnavailable('database', () =>
        inTransaction(pool, async (client) => {
          await client.query('delete from oidc_state');
          await client.query(
            'update restored_backup set accepted_at = now() where accepted_at is null',
          );
        }),
      ),
    acceptedAt: () =>
      orUnavailable('database', async () => {
        const { rows } = await pool.query<{ accepted_at: Date | null }>(
          'select accepted_at from restored_backup',
        );
        return rows[0]?.accepted_at ?? null;
      }),
  };
}

/** Notes in the transaction that restores a backup that it is to be accepted. */
export async function noteRestored(
  client: pg.PoolClient,
  backup: {
    readonly madeAt: string;
    readonly head: string | null;
    readonly events: number;
    readonly root: string;
  },
): Promise<void> {
  await client.query('delete from restored_backup');
  await client.query(
    `insert into restored_backup (made_at, head, events, root, restored_at, findings)
     values ($1, $2, $3, $4, now(), '[]')`,
    [backup.madeAt, backup.head, backup.events, backup.root],
  );
}
