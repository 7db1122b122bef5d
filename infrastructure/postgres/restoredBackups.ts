import type pg from 'pg';
import type {
  Finding,
  RestoredBackup,
  RestoredBackups,
} from '../../application/log/ports/restoredBackups.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { createAdvisoryLock } from './advisoryLock.ts';
import { keepServer, otherServer } from './knownServer.ts';
import { inTransaction, orUnavailable } from './pool.ts';

/** The moment that a database was recovered to, as far as it says: of its newest event, or its newest tree head. */
const RECOVERED = `
  select coalesce(
      greatest(
        (select ((metadata::jsonb) ->> 'time')::timestamptz from event order by position desc limit 1),
        (select max(signed_at) from audit_tree_head)),
      pg_postmaster_start_time()) as "madeAt",
    (select max(position) from event) as head,
    (coalesce((select size from audit_tree), 0) + (select count(*) from event
      where position > coalesce((select last_position from audit_tree), -1)))::float8 as events`;

/** Row of `restored_backup`. */
interface Noted extends Omit<RestoredBackup, 'asked'> {
  readonly askedBy: string | null;
  readonly askedAt: Date | null;
}

/** {@link RestoredBackups} in the tables `restored_backup` and `known_server`. */
export function createPostgresRestoredBackups(pool: pg.Pool): RestoredBackups {
  async function noted(): Promise<RestoredBackup | null> {
    const { rows } = await pool.query<Noted>(
      `select made_at as "madeAt", restored_at as "restoredAt", head, events::float8, root, findings,
         asked_by as "askedBy", asked_at as "askedAt"
       from restored_backup where accepted_at is null`,
    );
    const [row] = rows;
    if (row === undefined) return null;
    const { askedBy, askedAt, ...restored } = row;
    const asked = askedBy === null || askedAt === null ? null : { by: askedBy, at: askedAt };
    return { ...restored, asked };
  }

  /** Restore by other means than `./tamga restore`. */
  async function recovered(): Promise<RestoredBackup | null> {
    const other = await otherServer(pool);
    if (other === null) return null;
    const { rows } =
      await pool.query<Pick<RestoredBackup, 'madeAt' | 'head' | 'events'>>(RECOVERED);
    const [row] = rows;
    if (row === undefined) throw new Error('The query returned no row.');
    return {
      ...row,
      restoredAt: other.since,
      root: 'unknown',
      findings: [{ what: other.what, isApplied: false }],
      asked: null,
    };
  }

  const pending = async () => (await noted()) ?? (await recovered());

  /** Writes down what was recognised, so that it has a place for findings and the acceptance. */
  async function note(): Promise<void> {
    if ((await noted()) !== null) return;
    const found = await recovered();
    if (found === null) return;
    await inTransaction(pool, async (client) => {
      await noteRestored(client, {
        ...found,
        madeAt: found.madeAt.toISOString(),
        head: found.head?.toString() ?? null,
      });
    });
  }

  const exclusively = createAdvisoryLock(
    pool,
    () =>
      new Refusal('CONFLICT', {
        detail:
          'Evidence is being added, or the restored backup is being accepted. Try again when that is done.',
      }),
  );

  return {
    pending: () => orUnavailable('database', pending),
    exclusively: (work) => exclusively('restored backup', work),
    note: () => orUnavailable('database', note),
    async found(findings) {
      const { rowCount } = await orUnavailable('database', async () => {
        await note();
        return pool.query(
          `update restored_backup set findings = findings || $1::jsonb, asked_by = null, asked_at = null
           where accepted_at is null`,
          [JSON.stringify(findings)],
        );
      });
      if (rowCount !== 1) {
        throw new Error('The restored backup was accepted in the meantime, without this evidence.');
      }
    },
    ask: (operatorId) =>
      orUnavailable('database', async () => {
        await pool.query(
          `update restored_backup set asked_by = $1, asked_at = now()
           where accepted_at is null and asked_by is distinct from $1`,
          [operatorId],
        );
      }),
    accept: () =>
      orUnavailable('database', async () => {
        await note();
        await inTransaction(pool, async (client) => {
          await client.query('delete from oidc_state');
          await client.query(
            'update restored_backup set accepted_at = now() where accepted_at is null',
          );
          await keepServer(client);
        });
      }),
    acceptedAt: () =>
      orUnavailable('database', async () => {
        const { rows } = await pool.query<{ accepted_at: Date | null }>(
          'select accepted_at from restored_backup',
        );
        return rows[0]?.accepted_at ?? null;
      }),
    isElsewhere: () => orUnavailable('database', async () => (await otherServer(pool)) !== null),
    follow: (server) => orUnavailable('database', () => keepServer(pool, server)),
  };
}

/** Notes in the transaction that restores a backup that it is to be accepted. */
export async function noteRestored(
  client: pg.PoolClient,
  backup: {
    readonly madeAt: string;
    /** Default: now. */
    readonly restoredAt?: Date;
    readonly head: string | null;
    readonly events: number;
    readonly root: string;
    readonly findings?: readonly Finding[];
  },
): Promise<void> {
  const { madeAt, restoredAt = null, head, events, root, findings = [] } = backup;
  await client.query('delete from restored_backup');
  await client.query(
    `insert into restored_backup (made_at, head, events, root, restored_at, findings)
     values ($1, $2, $3, $4, coalesce($5, now()), $6)`,
    [madeAt, head, events, root, restoredAt, JSON.stringify(findings)],
  );
}
