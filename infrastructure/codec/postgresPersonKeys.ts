import { createHash } from 'node:crypto';
import type pg from 'pg';
import { inTransaction, orUnavailable } from '../postgres/pool.ts';
import { HELD_GENERATION } from './postgresMasterKeys.ts';
import type { PersonKeys } from './personKeys.ts';

/** Partitions of the table. */
export const BUCKETS = 32;

/** Serialises forgetting, so that numbers in `forgotten_person` become visible in their order. */
const FORGET_LOCK = 7_205_002;

/**
 * Wrapped keys in the table `person_key`.
 *
 * PostgreSQL keeps the bytes of a row that was updated or deleted in the table's file until the space is used again, and
 * VACUUM keeps them while any older transaction is open. So destroying a key rewrites its partition without it: TRUNCATE
 * gives the partition a new file and removes the old one at commit, whoever else is reading. Only the write-ahead log
 * holds the old bytes until it is recycled, and only encrypted under the master key.
 */
export function createPostgresPersonKeys({ pool }: { readonly pool: pg.Pool }): PersonKeys {
  const query = <Row extends pg.QueryResultRow>(text: string, values: unknown[]) =>
    orUnavailable('database', () => pool.query<Row>(text, values));

  return {
    find: async (subjects) => {
      const { rows } = await orUnavailable('database', () =>
        pool.query<{ subject: string; wrapped_key: Buffer | null }>({
          // Named, so that it is planned once: over all partitions that takes longer than finding the keys.
          name: 'find person keys',
          text: `select kept.subject, kept.wrapped_key
             from unnest($1::smallint[], $2::text[]) as wanted (bucket, subject)
             join person_key kept on kept.bucket = wanted.bucket and kept.subject = wanted.subject`,
          values: [subjects.map(bucketOf), subjects],
        }),
      );
      return new Map(rows.map((row) => [row.subject, row.wrapped_key ?? 'destroyed']));
    },

    add: async (wrappedKeys, generation) => {
      // Always in the same order: two processes adding the same persons then wait for each other, never in a circle.
      const subjects = [...wrappedKeys.keys()].sort();
      const { rows } = await query<{ generation: number }>(
        `with held as (${HELD_GENERATION}),
         added as (
           insert into person_key (bucket, subject, wrapped_key)
             select * from unnest($1::smallint[], $2::text[], $3::bytea[])
             where (select generation from held) = $4
           on conflict do nothing
         )
         select generation from held`,
        [
          subjects.map(bucketOf),
          subjects,
          subjects.map((subject) => wrappedKeys.get(subject)),
          generation,
        ],
      );
      return rows[0]?.generation === generation;
    },

    destroy: (subject) =>
      orUnavailable('database', () => inTransaction(pool, (client) => destroy(client, subject))),

    destroyedAfter: async (cursor) => {
      if (cursor === null) {
        const { rows } = await query<{ cursor: bigint }>(
          'select coalesce(max(number), 0) as cursor from forgotten_person',
          [],
        );
        return { subjects: [], cursor: rows[0]?.cursor ?? 0n };
      }
      const { rows } = await query<{ number: bigint; subject: string }>(
        'select number, subject from forgotten_person where number > $1 order by number',
        [cursor],
      );
      return {
        subjects: rows.map((row) => row.subject),
        cursor: rows.at(-1)?.number ?? cursor,
      };
    },
  };
}

async function destroy(client: pg.PoolClient, subject: string): Promise<void> {
  const bucket = bucketOf(subject);
  const partition = `person_key_${bucket}`;
  await client.query("set local lock_timeout = '5s'");
  await client.query('select pg_advisory_xact_lock($1)', [FORGET_LOCK]);
  const remembered = await client.query(
    'insert into forgotten_person (subject) values ($1) on conflict do nothing',
    [subject],
  );
  if (remembered.rowCount === 0) return;
  await client.query(`lock table ${partition} in access exclusive mode`);
  await client.query(`create temporary table kept_key (like ${partition}) on commit drop`);
  await client.query(`insert into kept_key select * from ${partition} where subject <> $1`, [
    subject,
  ]);
  await client.query(`truncate ${partition}`);
  await client.query(`insert into ${partition} select * from kept_key`);
  await client.query(`insert into ${partition} (bucket, subject) values ($1, $2)`, [
    bucket,
    subject,
  ]);
}

function bucketOf(subject: string): number {
  return createHash('sha256').update(subject).digest().readUInt8(0) % BUCKETS;
}
