import type pg from 'pg';
import { rewrapSoftwareKey } from '../hsm/softwareKeyVault.ts';
import type { VaultKeyType } from '../../application/ports/keyVault.ts';
import { inTransaction, orUnavailable } from '../postgres/pool.ts';
import { generationOf, unwrapKey, wrapKey } from './encryption.ts';
import { BUCKETS } from './postgresPersonKeys.ts';
import type { WrappingKeys } from './wrappingKeys.ts';

const BATCH = 1000;

/** Generation of a wrapped key as {@link generationOf} reads it. */
const GENERATION = 'case when length(wrapped_key) = 60 then 0 else get_byte(wrapped_key, 0) end';

/** Counts the persons' keys that are not wrapped under this generation. */
export async function countFormerPersonKeys(pool: pg.Pool, generation: number): Promise<number> {
  const { rows } = await orUnavailable('database', () =>
    pool.query<{ count: number }>(
      `select count(*)::int as count from person_key where ${GENERATION} <> $1`,
      [generation],
    ),
  );
  return rows[0]?.count ?? 0;
}

/**
 * Wraps the persons' keys under the current master key, in batches of their own transactions. Interrupted it is repeated,
 * and goes on with those that are left.
 *
 * @param onBatch number of keys
 */
export async function rewrapPersonKeys(
  pool: pg.Pool,
  wrapping: WrappingKeys,
  onBatch: (keys: number) => void,
): Promise<void> {
  for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
    let after: string | undefined = '';
    while (after !== undefined) {
      const from: string = after;
      const batch = await orUnavailable('database', () =>
        inTransaction(pool, (client) => rewrapBatch(client, wrapping, { bucket, after: from })),
      );
      if (batch.length > 0) onBatch(batch.length);
      after = batch.at(-1);
    }
  }
}

/** @returns subjects of the keys, in order */
async function rewrapBatch(
  client: pg.PoolClient,
  wrapping: WrappingKeys,
  { bucket, after }: { readonly bucket: number; readonly after: string },
): Promise<readonly string[]> {
  const to = wrapping.current();
  const { rows } = await client.query<{ subject: string; wrapped_key: Buffer }>(
    `select subject, wrapped_key from person_key
     where bucket = $1 and subject > $2 and ${GENERATION} <> $3
     order by subject limit ${BATCH} for update`,
    [bucket, after, to.generation],
  );
  const wrapped = rows.map(({ subject, wrapped_key: key }) =>
    wrapKey(to, subject, unwrapKey(wrapping.of(generationOf(key)), subject, key).export()),
  );
  const subjects = rows.map(({ subject }) => subject);
  await client.query(
    `update person_key set wrapped_key = rewrapped.key
     from unnest($2::text[], $3::bytea[]) as rewrapped (subject, key)
     where bucket = $1 and person_key.subject = rewrapped.subject`,
    [bucket, subjects, wrapped],
  );
  return subjects;
}

interface SoftwareKeyRow {
  readonly label: string;
  readonly type: VaultKeyType;
  readonly publicKey: Buffer;
  readonly encrypted: Buffer;
}

/** Encrypts the software keys under the current master key, each by itself. @returns number of those that were not */
export async function rewrapSoftwareKeys(pool: pg.Pool, wrapping: WrappingKeys): Promise<number> {
  let rewrapped = 0;
  let after = '';
  for (;;) {
    const { rows } = await orUnavailable('database', () =>
      pool.query<SoftwareKeyRow>(
        `select label, type, public_key as "publicKey", sealed as encrypted from software_key
         where label > $1 order by label limit ${BATCH}`,
        [after],
      ),
    );
    for (const row of rows) {
      const to = wrapping.current();
      const { of, encrypted } = rewrapSoftwareKey(wrapping, to, row);
      if (of === to.generation) continue;
      await orUnavailable('database', () =>
        pool.query('update software_key set sealed = $2 where label = $1', [row.label, encrypted]),
      );
      rewrapped += 1;
    }
    const last = rows.at(-1);
    if (last === undefined) return rewrapped;
    after = last.label;
  }
}
