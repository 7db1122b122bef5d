import { type Kysely, type Migration, sql } from 'kysely';

const statements = [
  // Counts kept with the rows of read models; few rows, changed often: room in each page lets them be changed in place.
  `create table tally (
    source text collate "C" not null,
    metric text collate "C" not null,
    bucket timestamptz not null,
    relying_party_id text collate "C" not null,
    label text collate "C" not null,
    count bigint not null,
    primary key (metric, bucket, relying_party_id, label)
  ) with (fillfactor = 50)`,
];

/** What the dashboard of operators counts. */
export const tallies: Migration = {
  async up(database: Kysely<unknown>): Promise<void> {
    for (const statement of statements) await sql.raw(statement).execute(database);
  },
};
