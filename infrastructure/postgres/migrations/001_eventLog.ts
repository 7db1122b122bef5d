import { type Kysely, type Migration, sql } from 'kysely';

async function up(database: Kysely<unknown>): Promise<void> {
  await sql`
    create table event (
      position bigint primary key,
      stream text collate "C" not null,
      revision bigint not null,
      event_id uuid not null unique,
      type text not null,
      data text not null,
      metadata text not null,
      unique (stream, revision)
    )`.execute(database);
  await sql`
    create function append_events(
      streams text[],        -- distinct
      expected bigint[],     -- per stream: -2 any, -1 no stream, else the revision of its last event
      owners int[],          -- per event, from here on: index of its stream in streams
      event_streams text[],
      offsets int[],         -- 1 for the first event of this batch in its stream
      ids uuid[],
      types text[],
      datas text[],
      metadatas text[],
      out previous bigint,   -- position of the newest event before this batch, 0 when there was none
      out heads bigint[]     -- per stream: revision of its last event before this batch, -1 when there was none
    ) language plpgsql as $$
    declare
      inserted bigint;
    begin
      perform pg_advisory_xact_lock(7305410922361472);
      previous := coalesce((select position from event order by position desc limit 1), 0);
      heads := array(
        select coalesce(
          (select e.revision from event e where e.stream = s.stream order by e.revision desc limit 1), -1)
        from unnest(streams) with ordinality as s(stream, n)
        order by s.n);
      insert into event (position, stream, revision, event_id, type, data, metadata)
      select previous + row_number() over (), e.stream, heads[e.owner] + e.place, e.id, e.type, e.data, e.metadata
      from unnest(owners, event_streams, offsets, ids, types, datas, metadatas)
        as e(owner, stream, place, id, type, data, metadata)
      where expected[e.owner] = -2 or expected[e.owner] = heads[e.owner];
      get diagnostics inserted = row_count;
      if inserted > 0 then
        perform pg_notify('tamga_event', (previous + inserted)::text);
      end if;
    end $$`.execute(database);
  await createAppendEvent(database);
}

/** Fast path for a batch of one, the most common under low load: the same rules without arrays. */
async function createAppendEvent(database: Kysely<unknown>): Promise<void> {
  await sql`
    create function append_event(
      event_stream text, expected bigint, id uuid, event_type text, event_data text, event_metadata text
    ) returns text language plpgsql as $$ -- previous,head
    declare
      previous bigint;
      head bigint;
    begin
      perform pg_advisory_xact_lock(7305410922361472);
      previous := coalesce((select position from event order by position desc limit 1), 0);
      head := coalesce(
        (select e.revision from event e where e.stream = event_stream order by e.revision desc limit 1), -1);
      if expected = -2 or expected = head then
        insert into event (position, stream, revision, event_id, type, data, metadata)
        values (previous + 1, event_stream, head + 1, id, event_type, event_data, event_metadata);
        perform pg_notify('tamga_event', (previous + 1)::text);
      end if;
      return previous || ',' || head;
    end $$`.execute(database);
}

async function down(database: Kysely<unknown>): Promise<void> {
  await sql`drop function append_event`.execute(database);
  await sql`drop function append_events`.execute(database);
  await sql`drop table event`.execute(database);
}

/**
 * The event log. `data` and `metadata` are text, not jsonb: they come back byte for byte.
 *
 * `append_events` (and `append_event`, for a batch of one) stores one batch in one transaction. Its advisory lock makes the order of positions the order
 * of commits, over all writing processes, and positions gapless; a statement of its own takes the lock so that
 * the statements after it see what the previous holder committed.
 */
export const eventLog: Migration = { up, down };
