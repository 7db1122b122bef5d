import { type Migration, sql } from 'kysely';

const BUCKETS = 32;

/**
 * Wrapped data keys of persons, in 32 partitions: destroying a key rewrites its partition (see postgresPersonKeys.ts),
 * so partitions are kept small. `wrapped_key` null: destroyed. `forgotten_person` records the order.
 */
export const personKeys: Migration = {
  up: async (database) => {
    await sql`
      create table person_key (
        bucket smallint not null,
        subject text not null,
        wrapped_key bytea,
        primary key (bucket, subject)
      ) partition by list (bucket)`.execute(database);
    for (let bucket = 0; bucket < BUCKETS; bucket += 1) {
      await sql`create table ${sql.id(`person_key_${bucket}`)}
        partition of person_key for values in (${sql.lit(bucket)})`.execute(database);
    }
    await sql`
      create table forgotten_person (
        number bigint generated always as identity primary key,
        subject text not null unique,
        forgotten_at timestamptz not null default now()
      )`.execute(database);
  },
};
