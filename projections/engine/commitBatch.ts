import { CompiledQuery, type Kysely, sql } from 'kysely';
import { toPayloads, notificationChannel } from '../../application/ports/notificationMessages.ts';
import type { Database } from '../database.ts';
import type { AnyReadModel, AnyRow } from './readModel.ts';
import { toArrays, upsert } from './rows.ts';
import { addTallies, tallyArrays, type TallyGrowth } from './tallies.ts';

/** Changes of a batch, and its end position in the log. */
export interface BatchCommit {
  /** Expected checkpoint. */
  readonly expected: bigint | null;
  readonly next: bigint;
  readonly rows: readonly AnyRow[];
  readonly tallies: TallyGrowth;
  /** Topics notified to every process with the commit. */
  readonly topics: readonly string[];
}

/** Commits a batch; false, and nothing written, when the checkpoint is not at `expected`. */
export type CommitBatch = (database: Kysely<Database>, commit: BatchCommit) => Promise<boolean>;

/**
 * Writes rows, checkpoint and notification of one read model's batch in one statement: one round trip instead of five,
 * with a constant text that is built once. The commit is asynchronous: rows and checkpoint go together, so a batch lost
 * in a crash of the database is projected again.
 */
export function createCommitBatch(model: AnyReadModel): CommitBatch {
  const noRows = toArrays(model, []);
  const counts = model.tally !== undefined;
  let text: string | undefined;

  /** Parameters are in the order in which {@link CommitBatch} passes them. */
  function textFor(database: Kysely<Database>): string {
    const moved = sql`exists (select from moved)`;
    const tallied = counts
      ? sql`, tallied as (${addTallies(model.name, tallyArrays(new Map()), moved)})`
      : sql``;
    return sql`
      with moved as (
        update checkpoint set position = ${null}, moved_at = now()
        where name = ${null} and position is not distinct from ${null}::bigint
        returning 1
      ), written as (
        ${upsert(model, model.table, noRows, moved)}
      )${tallied}, told as (
        select pg_notify(${null}, payload) from unnest(${null}::text[]) as payload where ${moved}
      )
      select ${moved} as moved, (select count(*) from told), set_config('synchronous_commit', 'off', true)
    `.compile(database).sql;
  }

  return async (database, { expected, next, rows, tallies, topics }) => {
    text ??= textFor(database);
    const result = await database.executeQuery<{ readonly moved: boolean }>(
      CompiledQuery.raw(text, [
        ...[next, model.name, expected],
        ...toArrays(model, rows),
        ...(counts ? [model.name, ...tallyArrays(tallies)] : []),
        ...[notificationChannel, toPayloads(topics)],
      ]),
    );
    return result.rows[0]?.moved === true;
  };
}
