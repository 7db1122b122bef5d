/** Advisory lock that makes the order of positions the order of commits. */
const LOCK = 'pg_advisory_xact_lock(7305410922361472)';

const EVENT = 'position, stream, revision, event_id, type, data, metadata';

const tables = [
  `create table event (
    position bigint primary key,
    stream text collate "C" not null,
    revision bigint not null,
    event_id uuid not null,
    type text not null,
    data text not null,
    metadata text not null
  ) partition by range (position)`,

  // Guards the revisions of a stream and says which positions to look for it at. Rows are updated in place: no index
  // has a column that changes, and pages keep room.
  `create table stream_head (
    stream text collate "C" primary key,
    revision bigint not null,
    first_position bigint not null,
    last_position bigint not null
  ) with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.02)`,

  // Events of each partition made from then on.
  `create table event_partitioning (
    singleton boolean primary key default true check (singleton),
    partition_size bigint not null check (partition_size > 0)
  )`,
  `insert into event_partitioning values (true, 10000000)`,

  // Partitions of the log with the positions they hold, oldest first.
  `create view event_partition as
    select c.oid as partition, c.relname::text as name, b.bounds[1]::bigint as first, b.bounds[2]::bigint - 1 as last
    from pg_inherits i join pg_class c on c.oid = i.inhrelid,
      lateral regexp_match(
        pg_get_expr(c.relpartbound, c.oid), $re$FROM \\('?(\\d+)'?\\) TO \\('?(\\d+)'?\\)$re$) as b(bounds)
    where i.inhparent = 'event'::regclass`,
];

/**
 * Writes the heads of streams with stored events, new streams apart: those need no look for a conflict. Rows are locked
 * in the order of their names, so that two who do never wait for each other.
 */
const headsMoved = (which: string) => `
      insert into stream_head (stream, revision, first_position, last_position)
      select s.stream, heads[s.owner] + max(s.place), previous + min(s.n), previous + max(s.n)
      from (
        select e.owner, e.stream, e.place, row_number() over () as n
        from unnest(owners, event_streams, offsets) as e(owner, stream, place)
        where expected[e.owner] = -2 or expected[e.owner] = heads[e.owner]
      ) as s
      where ${which}
      group by s.owner, s.stream order by s.stream collate "C"`;

const append = [
  `create function append_events(
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
    available bigint;
    inserted bigint;
  begin
    perform ${LOCK};
    select h.position, h.room into previous, available from event_head h;
    heads := array(
      select coalesce((select h.revision from stream_head h where h.stream = s.stream), -1)
      from unnest(streams) with ordinality as s(stream, n)
      order by s.n);
    if previous + cardinality(ids) > available then
      perform make_event_room(previous + cardinality(ids));
    end if;
    if exists (
      select from unnest(owners, ids) as e(owner, id)
      where (expected[e.owner] = -2 or expected[e.owner] = heads[e.owner])
        and exists (select from recent_event r where r.event_id = e.id)
    ) then
      raise unique_violation using message = 'An event with this id exists already.';
    end if;
    insert into event (${EVENT})
    select previous + row_number() over (), e.stream, heads[e.owner] + e.place, e.id, e.type, e.data, e.metadata
    from unnest(owners, event_streams, offsets, ids, types, datas, metadatas)
      as e(owner, stream, place, id, type, data, metadata)
    where expected[e.owner] = -2 or expected[e.owner] = heads[e.owner];
    get diagnostics inserted = row_count;
    if -1 = any(heads) then
      ${headsMoved('heads[s.owner] = -1')};
    end if;
    if 0 <= any(heads) then
      ${headsMoved('heads[s.owner] >= 0')}
      on conflict (stream) do update
        set revision = excluded.revision, last_position = excluded.last_position;
    end if;
    if inserted > 0 then
      perform pg_notify('tamga_event', (previous + inserted)::text);
    end if;
  end $$`,

  // Fast path for a batch of one, the most common under low load: the same rules without arrays.
  `create function append_event(
    event_stream text, expected bigint, id uuid, event_type text, event_data text, event_metadata text
  ) returns text language plpgsql as $$ -- previous,head
  declare
    previous bigint;
    available bigint;
    head bigint;
    is_used boolean;
  begin
    perform ${LOCK};
    select h.position, h.room,
      coalesce((select s.revision from stream_head s where s.stream = event_stream), -1),
      exists (select from recent_event r where r.event_id = id)
    into previous, available, head, is_used
    from event_head h;
    if expected = -2 or expected = head then
      if previous = available then
        perform make_event_room(previous + 1);
      end if;
      if is_used then
        raise unique_violation using message = 'An event with this id exists already.';
      end if;
      insert into event (${EVENT})
      values (previous + 1, event_stream, head + 1, id, event_type, event_data, event_metadata);
      if head = -1 then
        insert into stream_head values (event_stream, 0, previous + 1, previous + 1);
      else
        update stream_head set revision = head + 1, last_position = previous + 1 where stream = event_stream;
      end if;
      perform pg_notify('tamga_event', (previous + 1)::text);
    end if;
    return previous || ',' || head;
  end $$`,

  // Events of another log with the revisions they have there.
  `create function append_copies(
    streams text[], revisions bigint[], ids uuid[], types text[], datas text[], metadatas text[]
  ) returns void language plpgsql as $$
  declare
    previous bigint;
  begin
    perform ${LOCK};
    select h.position into previous from event_head h;
    perform make_event_room(previous + cardinality(ids));
    if exists (
      select from (
        select c.stream, min(c.revision) as first from unnest(streams, revisions) as c(stream, revision) group by 1
      ) as copied left join stream_head h on h.stream = copied.stream
      where copied.first <> 1 + coalesce(h.revision, -1)
    ) then
      raise unique_violation using message = 'A copied event does not follow the last one of its stream.';
    end if;
    with stored as (
      insert into event (${EVENT})
      select previous + c.place, c.stream, c.revision, c.id, c.type, c.data, c.metadata
      from unnest(streams, revisions, ids, types, datas, metadatas)
        with ordinality as c(stream, revision, id, type, data, metadata, place)
      returning event.stream, event.revision, event.position
    )
    insert into stream_head as h (stream, revision, first_position, last_position)
    select s.stream, max(s.revision), min(s.position), max(s.position)
    from stored s group by s.stream order by s.stream collate "C"
    on conflict (stream) do update
      set revision = excluded.revision, last_position = excluded.last_position;
  end $$`,
];

const reading = [
  // The bounds let the planner leave out, and not even lock, the partitions that hold nothing of the stream.
  `create function read_stream(wanted text, from_revision bigint, most int) returns table (
    "position" bigint, stream text, revision bigint, event_id uuid, type text, data text, metadata text
  ) language plpgsql stable rows 3 as $$
  declare
    first bigint;
    last bigint;
  begin
    select h.first_position, h.last_position into first, last from stream_head h where h.stream = wanted;
    return query
      select e.position, e.stream, e.revision, e.event_id, e.type, e.data, e.metadata from event e
      where e.stream = wanted and e.revision >= from_revision and e.position between first and last
      order by e.revision limit most;
  end $$`,
];

const partitions = [
  // Positions count on from the last partition. No default partition: nothing may be stored where nobody looks for it.
  `create function add_event_partition() returns void language plpgsql as $$
  declare
    first bigint;
    beyond bigint;
    name text;
    newest text[];
  begin
    first := coalesce((select max(p.last) from event_partition p), 0) + 1;
    beyond := first + (select p.partition_size from event_partitioning p);
    name := 'event_from_' || first;
    execute format('create table %I (like event, unique (event_id), unique (stream, revision))', name);
    execute format('alter table event attach partition %I for values from (%s) to (%s)', name, first, beyond);

    newest := array(
      select format('%I', c.relname)
      from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'event'::regclass and c.relname ~ '^event_from_\\d+$'
      order by substring(c.relname from '\\d+$')::bigint desc limit 3);
    execute 'create or replace view recent_event as ' || (
      select string_agg('select ${EVENT} from ' || n.name, ' union all ') from unnest(newest) as n(name));
    execute format('create or replace view event_head as select coalesce(%s, 0)::bigint as position, %s::bigint as room',
      (select string_agg(format('(select e.position from %s e order by e.position desc limit 1)', n.name), ', ' order by n.n)
        from unnest(newest) with ordinality as n(name, n)),
      beyond - 1);
  end $$`,

  `create function make_event_room(wanted bigint) returns void language plpgsql as $$
  begin
    while (select h.room from event_head h) < wanted loop
      perform add_event_partition();
    end loop;
  end $$`,

  // Adds the partition after the one in use; true when it did.
  `create function keep_event_partitions() returns boolean language plpgsql as $$
  begin
    if (select h.position + p.partition_size <= h.room from event_head h, event_partitioning p) then
      return false;
    end if;
    perform ${LOCK};
    if (select h.position + p.partition_size <= h.room from event_head h, event_partitioning p) then
      return false;
    end if;
    perform add_event_partition();
    return true;
  end $$`,

  // Drops one index of ids that recent_event does not need any more; its partition's name, or null.
  `create function drop_passed_event_ids() returns text language plpgsql as $$
  declare
    passed record;
  begin
    select c.relname as name, k.conname as guard into passed
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
      join pg_constraint k on k.conrelid = c.oid and k.contype = 'u'
      join pg_attribute a on a.attrelid = c.oid and k.conkey = array[a.attnum] and a.attname = 'event_id'
    where i.inhparent = 'event'::regclass
      and not exists (
        select from pg_depend d join pg_rewrite r on r.oid = d.objid and d.classid = 'pg_rewrite'::regclass
        where r.ev_class = 'recent_event'::regclass and d.refobjid = c.oid)
    limit 1;
    if found then
      execute format('alter table %I drop constraint %I', passed.name, passed.guard);
    end if;
    return passed.name;
  end $$`,
];

const copying = [
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
];

/**
 * The event log; `data` and `metadata` are text, not jsonb: they come back byte for byte. It is partitioned by position
 * and found through two views that are made anew with each partition, `recent_event` (events whose ids are guarded) and
 * `event_head` (newest position, and the last one there is room for): so no statement on the path of the append has to
 * name, plan for or lock all partitions (ADR 46). `stream_head` guards the revisions.
 */
export const eventLog: readonly string[] = [
  ...tables,
  ...partitions,
  ...append,
  ...reading,
  ...copying,
  // The first one, and the one ahead of it.
  `select add_event_partition() from generate_series(1, 2)`,
];
