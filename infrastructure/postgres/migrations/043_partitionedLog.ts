import { type Kysely, type Migration, sql } from 'kysely';

/** Advisory lock that orders the positions: see 001_eventLog. */
const LOCK = 'pg_advisory_xact_lock(7305410922361472)';

const EVENT = 'position, stream, revision, event_id, type, data, metadata';

const tables = [
  // Guards the revisions of a stream and says which positions to look for it at. Rows are updated in place: no index
  // has a column that changes, and pages keep room.
  `create table stream_head (
    stream text collate "C" primary key,
    revision bigint not null,
    first_position bigint not null,
    last_position bigint not null
  ) with (fillfactor = 75, autovacuum_vacuum_scale_factor = 0.02)`,

  `create table event_partitioning (
    singleton boolean primary key default true check (singleton),
    partition_size bigint not null check (partition_size > 0),
    -- Position up to which stream_head holds what was appended before there was one.
    filled_to bigint not null,
    -- End of the first partition, not included; null: not chosen.
    boundary bigint,
    is_partitioned boolean not null
  )`,
  `insert into event_partitioning values (true, 10000000, 0, null, false)`,
];

/** Names for what is about to change, so that one set of functions serves the log before and after it is partitioned. */
const viewsBefore = [
  // Newest position, and the last one that the partitions have room for.
  `create view event_head as select
    coalesce((select e.position from event e order by e.position desc limit 1), 0)::bigint as position,
    9223372036854775807::bigint as room`,
  // Events whose ids are guarded: of the newest partitions.
  `create view recent_event as select ${EVENT} from event`,
  // Events that stream_head may not know of.
  `create view unheaded_event as select stream, revision from event`,
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
  `create or replace function append_events(
    streams text[], expected bigint[], owners int[], event_streams text[], offsets int[], ids uuid[],
    types text[], datas text[], metadatas text[], out previous bigint, out heads bigint[]
  ) language plpgsql as $$
  declare
    available bigint;
    inserted bigint;
  begin
    perform ${LOCK};
    select h.position, h.room into previous, available from event_head h;
    heads := array(
      select greatest(
        (select h.revision from stream_head h where h.stream = s.stream),
        (select u.revision from unheaded_event u where u.stream = s.stream order by u.revision desc limit 1),
        -1)
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

  `create or replace function append_event(
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
      greatest(
        (select s.revision from stream_head s where s.stream = event_stream),
        (select u.revision from unheaded_event u where u.stream = event_stream order by u.revision desc limit 1),
        -1),
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
        insert into stream_head values (event_stream, head + 1, previous + 1, previous + 1)
        on conflict (stream) do update
          set revision = excluded.revision, last_position = excluded.last_position;
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
      where copied.first <> 1 + greatest(
        h.revision, (select max(u.revision) from unheaded_event u where u.stream = copied.stream), -1
      )
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
    if (select p.is_partitioned from event_partitioning p) then
      select h.first_position, h.last_position into first, last from stream_head h where h.stream = wanted;
      if not found then
        return;
      end if;
    else
      first := 1;
      last := 9223372036854775807;
    end if;
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
    select substring(pg_get_expr(c.relpartbound, c.oid) from $re$TO \\('?(\\d+)'?\\)$re$)::bigint into first
    from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'event'::regclass order by 1 desc limit 1;
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

const conversion = [
  // Takes the next events into stream_head; how far it came.
  `create function fill_stream_heads(most bigint) returns bigint language plpgsql as $$
  declare
    done bigint;
    reached bigint;
  begin
    select p.filled_to into done from event_partitioning p for update;
    reached := least(done + most, (select h.position from event_head h));
    insert into stream_head as h (stream, revision, first_position, last_position)
    select e.stream, max(e.revision), min(e.position), max(e.position)
    from event e where e.position > done and e.position <= reached group by e.stream order by e.stream
    on conflict (stream) do update set
      revision = greatest(h.revision, excluded.revision),
      first_position = least(h.first_position, excluded.first_position),
      last_position = greatest(h.last_position, excluded.last_position);
    update event_partitioning set filled_to = reached;
    return reached;
  end $$`,

  // Chooses the end of the first partition and has new events checked for it: five partitions ahead, further than the
  // log comes while its bounds are validated, and while a backup of it keeps the table.
  `create function bound_event_log() returns void language plpgsql as $$
  declare
    wanted bigint;
  begin
    perform ${LOCK};
    select ((h.position + greatest(5 * p.partition_size, h.position / 10)) / p.partition_size + 1) * p.partition_size + 1
    into wanted from event_head h, event_partitioning p;
    alter table event drop constraint if exists event_within;
    execute format(
      'alter table event add constraint event_within check (position >= 1 and position < %s) not valid', wanted);
    update event_partitioning set boundary = wanted;
  end $$`,

  // Makes the table of before the first partition, without copying or reading it.
  `create function partition_event_log() returns void language plpgsql as $$
  declare
    beyond bigint;
  begin
    perform ${LOCK};
    lock table event in access exclusive mode;
    perform fill_stream_heads(9223372036854775806 - (select p.filled_to from event_partitioning p));
    select coalesce(p.boundary, p.partition_size + 1) into beyond from event_partitioning p;
    alter table event rename constraint event_pkey to event_from_1_pkey;
    alter table event rename constraint event_event_id_key to event_from_1_event_id_key;
    alter table event rename constraint event_stream_revision_key to event_from_1_stream_revision_key;
    alter table event rename to event_from_1;
    create table event (
      position bigint primary key,
      stream text collate "C" not null,
      revision bigint not null,
      event_id uuid not null,
      type text not null,
      data text not null,
      metadata text not null
    ) partition by range (position);
    execute format('alter table event attach partition event_from_1 for values from (1) to (%s)', beyond);
    alter table event_from_1 drop constraint if exists event_within;
    update event_partitioning set is_partitioned = true;
    create or replace view unheaded_event as
      select s.stream, s.revision from stream_head s where false;
    perform add_event_partition();
  end $$`,
];

async function up(database: Kysely<unknown>): Promise<void> {
  const statements = [
    ...tables,
    ...viewsBefore,
    ...partitions,
    ...append,
    ...reading,
    ...conversion,
    // An empty log is partitioned at once, another one while it serves: see infrastructure/eventstore/logUpkeep.ts.
    `do $$ begin
      if not exists (select from event) then
        perform partition_event_log();
      end if;
    end $$`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(database);
}

/**
 * The event log in partitions by position, found through three views that are made anew with each partition: so no
 * statement on the path of the append has to name, plan for or lock all of them. What guarded the whole table are now
 * `stream_head` (revisions) and the newest partitions' own indexes (ids). Nothing of the log is locked or read here.
 */
export const partitionedLog: Migration = { up };
