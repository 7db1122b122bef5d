import { type Kysely, sql } from 'kysely';
import { pause } from '../../application/ports/follow.ts';
import type { Database } from '../database.ts';
import type { AnyReadModel } from './readModel.ts';
import { createSideTable, sideTableOf } from './sideTable.ts';

export interface CopyOptions {
  /** Events missing in the rows: when they change, an interrupted copy restarts. */
  readonly leftOut: string;
  /** Checkpoint when the copy begins: rows may be newer, none is older. */
  readonly checkpoint: bigint | null;
  /** Rows copied at a time; default 5,000, some 50 ms. */
  readonly slice: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly onCopied: (rows: number) => void;
}

/**
 * Copies the rows of the current table into a partitioned side table, in the order of their keys and in slices that are
 * committed: an interrupted copy resumes, unless the archive, the columns, the log or the parked events changed. Pauses
 * as long as it works, which leaves half of the time to others.
 *
 * @returns position up to which the rows hold every event
 */
export async function copyRows(
  database: Kysely<Database>,
  model: AnyReadModel,
  { leftOut, checkpoint, slice: size = 5000, signal, onCopied }: CopyOptions,
): Promise<bigint | null> {
  const side = sql.table(sideTableOf(model));
  const key = sql.ref(model.key);
  const from = await begin(database, model, leftOut, checkpoint);
  const { rows: ends } = await database.transaction().execute(async (transaction) => {
    // Waits for a statement of the interrupted copy: its connection ended, and it may commit yet.
    await sql`lock table ${side} in share mode`.execute(transaction);
    return sql<{ last: string | null; copied: bigint }>`
      select max(${key})::text as last, count(*) as copied from ${side}`.execute(transaction);
  });
  let last = ends[0]?.last ?? null;
  let copied = Number(ends[0]?.copied ?? 0n);
  for (;;) {
    signal?.throwIfAborted();
    const begunAt = performance.now();
    const after = last === null ? sql`` : sql`where ${key} > ${last}`;
    const { rows } = await sql<{ last: string | null; rows: bigint }>`
      with slice as (
        select * from ${sql.table(model.table)} ${after} order by ${key} limit ${size}
      ), written as (insert into ${side} select * from slice)
      select max(${key})::text as last, count(*) as rows from slice`.execute(database);
    const [slice] = rows;
    if (slice === undefined || slice.last === null) return from;
    last = slice.last;
    copied += Number(slice.rows);
    onCopied(copied);
    await pause(performance.now() - begunAt, signal ?? new AbortController().signal);
  }
}

/** Prepares the side table, or finds the one of an interrupted copy, whose comment says where it began, and from what. */
async function begin(
  database: Kysely<Database>,
  model: AnyReadModel,
  leftOut: string,
  checkpoint: bigint | null,
): Promise<bigint | null> {
  const side = sideTableOf(model);
  const { rows } = await sql<{ source: string; comment: string | null }>`
    select obj_description(to_regclass(${side}), 'pg_class') as comment, md5(concat_ws('/',
      (select string_agg(concat_ws(' ', name, restored_at), ',' order by name) from archive_entry),
      (select string_agg(attname, ',' order by attnum) from pg_attribute
        where attrelid = ${model.table}::regclass and attnum > 0 and not attisdropped),
      (select epoch from log_identity), ${leftOut}::text)) as source
  `.execute(database);
  const { source = '', comment = null } = rows[0] ?? {};
  const [former, position] = comment?.split(' ') ?? [];
  if (former === source && position !== undefined) return position === '' ? null : BigInt(position);
  await database.transaction().execute(async (transaction) => {
    await createSideTable(transaction, model, true);
    await sql`comment on table ${sql.table(side)} is ${sql.lit(`${source} ${checkpoint ?? ''}`)}`.execute(
      transaction,
    );
  });
  return checkpoint;
}
