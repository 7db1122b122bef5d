import { inStatements } from './statements.ts';

/** Sessions that ended long ago are in an archive outside the database (ADR 47). */
export const archive = inStatements([
  // One row for each range of the log whose ended sessions are in the archive. Keys are time-ordered, so their bounds
  // tell which entries may hold one.
  `create table archive_entry (
    name text primary key,
    first_position bigint not null unique,
    last_position bigint not null,
    streams bigint not null,
    events bigint not null,
    bytes bigint not null,
    lowest_stream text collate "C" not null,
    highest_stream text collate "C" not null,
    lowest_id text collate "C" not null,
    highest_id text collate "C" not null,
    -- Of what its index says before its keys; whoever reads the archive believes nothing else.
    directory_sha256 text not null,
    archived_at timestamptz not null,
    -- When its events were put back; it is read until nobody can have missed them.
    restored_at timestamptz,
    -- False: the log may still keep room for the events, or on EventStoreDB the events themselves.
    is_removed boolean not null
  )`,

  // Partitions of the log with the positions they hold, oldest first.
  `create view event_partition as
    select c.oid as partition, c.relname::text as name, b.bounds[1]::bigint as first, b.bounds[2]::bigint - 1 as last
    from pg_inherits i join pg_class c on c.oid = i.inhrelid,
      lateral regexp_match(
        pg_get_expr(c.relpartbound, c.oid), $re$FROM \\('?(\\d+)'?\\) TO \\('?(\\d+)'?\\)$re$) as b(bounds)
    where i.inhparent = 'event'::regclass`,

  // Puts a copy in the place of a partition most of whose events were deleted, and so gives its room back. Appends go to
  // the newest partitions, so nothing changes in this one meanwhile; readers wait for the last step alone.
  `create function copy_event_partition(wanted text) returns void language plpgsql as $$
  declare
    place record;
    copied text := wanted || '_copy';
  begin
    select p.first, p.last into strict place from event_partition p where p.name = wanted;
    execute format('create table %I (like event)', copied);
    execute format('insert into %I select * from %I order by position', copied, wanted);
    execute format('alter table %I add primary key (position), add unique (stream, revision)', copied);
    execute format('alter table %I add constraint %I check (position between %s and %s)',
      copied, copied || '_within', place.first, place.last);
  end $$`,
  `create function swap_event_partition(wanted text) returns void language plpgsql as $$
  declare
    place record;
    copied text := wanted || '_copy';
  begin
    select p.first, p.last into strict place from event_partition p where p.name = wanted;
    execute format('alter table event detach partition %I', wanted);
    execute format('drop table %I', wanted);
    execute format('alter table %I rename to %I', copied, wanted);
    execute format('alter table event attach partition %I for values from (%s) to (%s)',
      wanted, place.first, place.last + 1);
    execute format('alter table %I drop constraint %I', wanted, copied || '_within');
  end $$`,
]);
