import { inStatements } from './statements.ts';

/** Counts of the operators' dashboard. */
export const tallies = inStatements([
  // Counts maintained with the rows of read models; few rows, updated often: a low fill factor allows updates in place.
  `create table tally (
    source text collate "C" not null,
    metric text collate "C" not null,
    bucket timestamptz not null,
    relying_party_id text collate "C" not null,
    label text collate "C" not null,
    count bigint not null,
    primary key (metric, bucket, relying_party_id, label)
  ) with (fillfactor = 50)`,
]);
