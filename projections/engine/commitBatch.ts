import { CompiledQuery, type Kysely, sql } from 'kysely';
import { toPayloads, notificationChannel } from '../../application/ports/notifications.ts';
import { traced } from '../../application/ports/spans.ts';
import type { Database } from '../database.ts';
import type { AnyReadModel, AnyRow } from './readModel.ts';
import { type ParkedEvent, parkEvents, parkingParameters } from './parking.ts';
import { toArrays, upsert } from './rows.ts';
import { addTallies, tallyArrays, type TallyGrowth } from './tallies.ts';

/** Changes of a batch, and its end position in the log. */
export interface BatchCommit {
  /** Expected checkpoint. */
  readonly expected: bigint | null;
  /** Expected version of the fold that made the rows: after a rebuild by another one, remembered rows are of before. */
  readonly fold: number;
  readonly next: bigint;
  readonly rows: readonly AnyRow[];
  readonly tallies: TallyGrowth;
  /** Topics notified to every process with the commit. */
  readonly topics: readonly string[];
  /** Events parked, or parked still, with the batch; default: none. */
  readonly parked?: readonly ParkedEvent[];
  /** Positions of parked events that were folded; default: none. */
  readonly unparked?: readonly bigint[];
}

/** Commits a batch; false, and nothing written, when the checkpoint is not as expected. */
export type CommitBatch = (database: Kysely<Database>, commit: BatchCommit) => Promise<boolean>;

/**
 * Writes rows, checkpoint and notification of one read model's batch in one statement: one round trip instead of five,
 * with a constant text that is built once. The commit is asynchronous: rows and checkpoint go together, so a batch lost
 * in a crash of the database is projected again.
 */
export function createCommitBatch(model: AnyReadModel): CommitBatch {
  const noRows = toArrays(model, []);
  const counts = model.tally !== undefined;
  const texts: { plain?: string; parking?: string } = {};

  /** Parameters are in the order in which {@link CommitBatch} passes them. */
  function textFor(database: Kysely<Database>, kind: keyof typeof texts): string {
    const moved = sql`exists (select from moved)`;
    const tallied = counts
      ? sql`, tallied as (${addTallies(model.name, tallyArrays(new Map()), moved)})`
      : sql``;
    const parked =
      kind === 'parking' ? parkEvents(parkingParameters(model.name, [], []), moved) : sql``;
    return sql`
      with moved as (
        update checkpoint set position = ${null}, moved_at = now()
        where name = ${null} and position is not distinct from ${null}::bigint and fold = ${null}::int
        returning 1
      ), written as (
        ${upsert(model, model.table, noRows, moved)}
      )${tallied}${parked}, told as (
        select pg_notify(${null}, payload) from unnest(${null}::text[]) as payload where ${moved}
      )
      select ${moved} as moved, (select count(*) from told), set_config('synchronous_commit', 'off', true)
    `.compile(database).sql;
  }

  return async (
    database,
    { expected, fold, next, rows, tallies, topics, parked = [], unparked = [] },
  ) => {
    const kind = parked.length + unparked.length > 0 ? 'parking' : 'plain';
    const text = (texts[kind] ??= textFor(database, kind));
    const query = CompiledQuery.raw(text, [
      ...[next, model.name, expected, fold],
      ...toArrays(model, rows),
      ...(counts ? [model.name, ...tallyArrays(tallies)] : []),
      ...(kind === 'parking' ? parkingParameters(model.name, parked, unparked) : []),
      ...[notificationChannel, toPayloads(topics)],
    ]);
    const result = await traced('projection', `project ${model.name}`, {}, () =>
      database.executeQuery<{ readonly moved: boolean }>(query),
    );
    return result.rows[0]?.moved === true;
  };
}
