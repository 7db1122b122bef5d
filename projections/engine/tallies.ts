import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import type { Database } from '../database.ts';
import type { AnyReadModel, RowChange, Tally } from './readModel.ts';

/** Growth of each counter; zeros are left out. */
export type TallyGrowth = ReadonlyMap<string, Tally & { readonly grown: number }>;

/** Sums of a rebuild, or of a batch. */
export interface TallySums {
  add(changes: ReadonlyMap<string, RowChange>): void;
  copy(): TallySums;
  readonly growth: TallyGrowth;
}

/** Sums the contributions of row changes of one read model: its counters always equal those of its rows. */
export function createTallySums(model: AnyReadModel, initial: TallyGrowth = new Map()): TallySums {
  const { tally } = model;
  const sums = new Map(initial);

  function count(tallies: readonly Tally[], by: 1 | -1): void {
    for (const each of tallies) {
      const { metric, bucket, relyingPartyId, label } = each;
      const key = `${metric} ${bucket} ${relyingPartyId} ${label}`;
      const grown = (sums.get(key)?.grown ?? 0) + by;
      if (grown === 0) sums.delete(key);
      else sums.set(key, { metric, bucket, relyingPartyId, label, grown });
    }
  }

  return {
    add(changes) {
      if (tally === undefined) return;
      for (const { before, after } of changes.values()) {
        if (before !== undefined) count(tally(before), -1);
        count(tally(after), 1);
      }
    },
    copy: () => createTallySums(model, sums),
    growth: sums,
  };
}

/** Parameters of {@link addTallies}. */
export function tallyArrays(growth: TallyGrowth): readonly (readonly (string | number)[])[] {
  const all = [...growth.values()];
  return [
    all.map(({ metric }) => metric),
    all.map(({ bucket }) => bucket),
    all.map(({ relyingPartyId }) => relyingPartyId),
    all.map(({ label }) => label),
    all.map(({ grown }) => grown),
  ];
}

/**
 * Statement that adds to any number of a read model's counters.
 *
 * @param arrays see {@link tallyArrays}
 * @param condition of all
 */
export function addTallies(
  source: string | null,
  arrays: readonly unknown[],
  condition: RawBuilder<unknown> = sql`true`,
): RawBuilder<unknown> {
  const [metrics, buckets, parties, labels, grown] = arrays;
  return sql`
    insert into tally as present (source, metric, bucket, relying_party_id, label, count)
    select ${source}::text, * from unnest(
      ${metrics}::text[], ${buckets}::timestamptz[], ${parties}::text[], ${labels}::text[], ${grown}::int8[]
    ) where ${condition}
    on conflict (metric, bucket, relying_party_id, label)
    do update set count = present.count + excluded.count
  `;
}

/** Replaces a read model's counters. */
export async function replaceTallies(
  transaction: Transaction<Database> | Kysely<Database>,
  source: string,
  growth: TallyGrowth,
): Promise<void> {
  await sql`delete from tally where source = ${source}`.execute(transaction);
  if (growth.size > 0) await addTallies(source, tallyArrays(growth)).execute(transaction);
}
