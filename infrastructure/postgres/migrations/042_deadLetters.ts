import { type Kysely, type Migration, sql } from 'kysely';

async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table dead_letter (
      reactor text not null,
      event_id text not null,
      stream text not null,
      revision int8 not null,
      -- Class of the error.
      error text not null,
      attempts integer not null,
      since timestamptz not null default now(),
      primary key (reactor, event_id)
    )
  `.execute(database);
}

/** Events that a reactor failed to react to and left behind. */
export const deadLetters: Migration = { up };
