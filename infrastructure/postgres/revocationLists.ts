import type pg from 'pg';
import type {
  RevocationList,
  RevocationListStore,
} from '../../application/certificate/ports/revocationLists.ts';
import { revocationListTopic } from '../../domain/shared/streams.ts';
import { notificationChannel } from '../../application/ports/notifications.ts';
import type { IssuingAuthority } from '../../domain/certificate/events.ts';
import { inTransaction, orUnavailable } from './pool.ts';

/** Bytes of one part: small enough not to block the event loop. */
const PART_BYTES = 1024 * 1024;

interface Head {
  readonly number: bigint;
  readonly thisUpdate: Date;
  readonly nextUpdate: Date;
}

/** {@link RevocationListStore} in the tables `revocation_list` and `revocation_list_part`. */
export function createPostgresRevocationLists(pool: pg.Pool): RevocationListStore {
  return {
    nextUpdates: () =>
      orUnavailable('database', async () => {
        const { rows } = await pool.query<{ authority: IssuingAuthority; next_update: Date }>(
          'select authority, next_update from revocation_list',
        );
        return new Map(rows.map((row) => [row.authority, row.next_update]));
      }),
    newestHead: (authority) =>
      orUnavailable('database', async () => {
        const found = await head(pool, authority);
        return found === null ? null : { number: found.number, thisUpdate: found.thisUpdate };
      }),
    newest: (authority) =>
      orUnavailable('database', () =>
        inTransaction(pool, async (client) => {
          await client.query('set transaction isolation level repeatable read, read only');
          return newestRevocationList(client, authority);
        }),
      ),
    keep: (list) =>
      orUnavailable('database', () =>
        inTransaction(pool, (client) => keepRevocationList(client, list)),
      ),
  };
}

async function head(
  client: pg.Pool | pg.PoolClient,
  authority: IssuingAuthority,
): Promise<Head | null> {
  const { rows } = await client.query<Head>(
    `select number, this_update as "thisUpdate", next_update as "nextUpdate"
     from revocation_list where authority = $1`,
    [authority],
  );
  return rows[0] ?? null;
}

/** The list that is kept, within a transaction; null: none yet. */
export async function newestRevocationList(
  client: pg.PoolClient,
  authority: IssuingAuthority,
): Promise<RevocationList | null> {
  const found = await head(client, authority);
  if (found === null) return null;
  const der = Buffer.concat(await readParts(client, authority, found.number));
  return { authority, ...found, der };
}

/** Keeps a list within a transaction. @returns false when it is no newer than the kept one, which stays */
export async function keepRevocationList(
  client: pg.PoolClient,
  { authority, number, thisUpdate, nextUpdate, der }: RevocationList,
): Promise<boolean> {
  const { rowCount } = await client.query(
    `insert into revocation_list as kept (authority, number, this_update, next_update)
     values ($1, $2, $3, $4)
     on conflict (authority) do update
     set (number, this_update, next_update) = ($2, $3, $4)
     where kept.number < excluded.number`,
    [authority, number, thisUpdate, nextUpdate],
  );
  if (rowCount === 0) return false;
  await client.query('delete from revocation_list_part where authority = $1', [authority]);
  for (let part = 0; part * PART_BYTES < der.length; part += 1) {
    const bytes = der.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
    await client.query('insert into revocation_list_part values ($1, $2, $3, $4)', [
      ...[authority, number, part, bytes],
    ]);
  }
  // Delivered with the commit, in this and in every other process.
  await client.query('select pg_notify($1, $2)', [
    ...[notificationChannel, revocationListTopic(authority)],
  ]);
  return true;
}

async function readParts(
  client: pg.PoolClient,
  authority: IssuingAuthority,
  number: bigint,
): Promise<readonly Buffer[]> {
  const parts: Buffer[] = [];
  for (;;) {
    const { rows } = await client.query<{ bytes: Buffer }>(
      `select bytes from revocation_list_part
       where authority = $1 and number = $2 and part = $3`,
      [authority, number, parts.length],
    );
    if (rows[0] === undefined) return parts;
    parts.push(rows[0].bytes);
  }
}
