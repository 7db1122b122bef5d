/** Partitions of `parent`. */
const partitions = `
  pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = parent::regclass`;

const helpers = [
  // Beginning of the ids of sessions that start at a moment (RFC 9562, version 7).
  `create function session_id_at(moment timestamptz) returns text language sql immutable as $$
    select substr(t.hex, 1, 8) || '-' || substr(t.hex, 9)
    from (select lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') as hex) as t
  $$`,

  // Column that a view is partitioned by.
  `create function view_key(wanted text) returns text language sql stable as $$
    select a.attname::text from pg_attribute a join pg_partitioned_table p on p.partrelid = a.attrelid
    where a.attrelid = wanted::regclass and a.attnum = p.partattrs[0]
  $$`,

  // Settings of a view's partitions.
  `create function view_settings(wanted text) returns text language sql stable as $$
    select coalesce('with (' || array_to_string(c.reloptions, ', ') || ')', '') from pg_class c
    where c.oid = to_regclass(wanted || '_other')
  $$`,
];

const reading = [
  // Asks whether a transaction keeps a table for long: whoever waited for it would keep everybody else waiting. Those of
  // another role show neither beginning nor state to who may not see it, and count; one that ended between the two looks
  // does not.
  `create function is_kept_for_long(wanted text) returns boolean language sql volatile as $$
    select exists (
      select from pg_locks l join pg_stat_activity a on a.pid = l.pid
      where l.database = (select oid from pg_database where datname = current_database())
        and (l.relation = wanted::regclass
          or l.relation in (select inhrelid from pg_inherits where inhparent = wanted::regclass))
        and l.granted and l.pid <> pg_backend_pid()
        and (a.xact_start < clock_timestamp() - interval '1 second'
          or (a.xact_start is null and a.state is distinct from 'idle')))
  $$`,

  // Looks a session up for a query over many: planned for each, with its id, where a join plans for all partitions.
  `create function session_with_id(id text) returns table (session_id text, civil_id text, status text, end_result text)
  language plpgsql stable rows 1 as $$
  begin
    return query
      select v.session_id, v.civil_id, v.status, v.end_result from session_view v where v.session_id = id;
  end $$`,
];

const making = [
  // Makes an empty table like a view's, partitioned by its key and without indexes.
  `create function make_partitioned_view(wanted text, made text) returns void language plpgsql as $$
  declare
    key text := view_key(wanted);
    settings text := view_settings(wanted);
  begin
    execute format('create table %I (like %I including defaults) partition by range (%I)', made, wanted, key);
    execute format('create table %I partition of %I default %s', made || '_other', made, settings);
  end $$`,

  // Adds a partition, with what the default one has of it; from the beginning, if there is no lower bound.
  `create function add_view_partition(parent text, made text, lower text, upper text) returns void
  language plpgsql as $$
  declare
    other text := parent || '_other';
    key text := view_key(parent);
  begin
    execute format('create table %I (like %I including defaults) %s', made, parent, view_settings(parent));
    execute format('lock table only %I in share update exclusive mode', parent);
    execute format('lock table %I in access exclusive mode', other);
    execute format('with moved as (delete from %I where %s and %I < %L returning *) insert into %I select * from moved',
      other, case when lower is null then 'true' else format('%I >= %L', key, lower) end, key, upper, made);
    execute format('alter table %I attach partition %I for values from (%s) to (%L)',
      parent, made, coalesce(quote_literal(lower), 'minvalue'), upper);
  end $$`,

  // Adds the months of sessions from a moment, or else the last month, to the next month; how many.
  `create function keep_session_partitions(parent text, since timestamptz) returns int language plpgsql as $$
  declare
    month timestamp;
    made text;
    added int := 0;
  begin
    for month in select generate_series(
      date_trunc('month', coalesce(since at time zone 'UTC', now() at time zone 'UTC' - interval '1 month')),
      now() at time zone 'UTC' + interval '1 month', interval '1 month')
    loop
      made := parent || to_char(month, '_YYYY_MM');
      if to_regclass(made) is null then
        perform add_view_partition(parent, made, session_id_at(month at time zone 'UTC'),
          session_id_at((month + interval '1 month') at time zone 'UTC'));
        added := added + 1;
      end if;
    end loop;
    return added;
  end $$`,

  // Adds partitions of the audit until one is ahead of the log; how many. Each is a tenth of what precedes
  // it: a query that cannot tell its partitions locks all of them, with nine relations each, and these grow with the
  // logarithm of the log. Positions beyond the head of the log in this database are those of EventStoreDB, of which an
  // event takes some 1,000; the head is read last, as it only grows.
  `create function keep_audit_partitions(parent text) returns int language plpgsql as $$
  declare
    newest bigint := coalesce((select c.position from checkpoint c where c.name = 'audit'), 0);
    head bigint := (select h.position from event_head h);
    size bigint := 5 * (select p.partition_size from event_partitioning p) * case when newest > head then 1000 else 1 end;
    beyond bigint := (
      select max(substring(pg_get_expr(c.relpartbound, c.oid) from $re$TO \\('?(\\d+)'?\\)$re$)::bigint) from ${partitions});
    next bigint;
    added int := 0;
  begin
    while coalesce(beyond, 1) <= greatest(newest, head) + size loop
      next := coalesce(beyond, 1) + size * greatest(1, coalesce(beyond, 1) / (10 * size));
      perform add_view_partition(parent, parent || '_from_' || coalesce(beyond, 1), beyond::text, next::text);
      beyond := next;
      added := added + 1;
    end loop;
    return added;
  end $$`,

  // Adds the partitions that sessions or the audit need soon, of sessions from this moment on, or else the last
  // month; how many.
  `create function keep_view_partitions(parent text, since timestamptz) returns int language sql as $$
    select case when view_key(parent) = 'session_id'
      then keep_session_partitions(parent, since) else keep_audit_partitions(parent) end
  $$`,
];

const dropping = [
  // Puts the few sessions of the first month before the last one that has few into the default partition and drops the
  // month; its name, or null. Refused at once while something holds one of both, as the whole table is kept meanwhile. The
  // rows are counted in the order of their keys, at first without a lock: that pass also marks what is deleted, so that
  // the one under the lock skips it.
  `create function fold_session_partition(parent text) returns text language plpgsql as $$
  declare
    few text := 'select count(*) <= 1000 from (select from %I order by session_id limit 1001) as t';
    month text;
    has_few boolean;
  begin
    for month in
      select c.relname from ${partitions} and c.relname ~ '_\\d{4}_\\d\\d$'
        and right(c.relname, 8) < to_char(now() at time zone 'UTC' - interval '1 month', '_YYYY_MM')
      order by c.relname
    loop
      execute format(few, month) into has_few;
      continue when not has_few;
      execute format('lock table only %I in access exclusive mode', parent);
      execute format('lock table %I, %I in access exclusive mode nowait', month, parent || '_other');
      execute format(few, month) into has_few;
      if not has_few then return null; end if;
      execute format('alter table %I detach partition %I', parent, month);
      execute format('insert into %I select * from %I order by session_id', parent, month);
      execute format('drop table %I', month);
      return month;
    end loop;
    return null;
  end $$`,
];

/** Sessions by month and the audit like the log in partitions, which their keys tell: both grow with time (ADR 48). */
export const viewPartitions: readonly string[] = [
  ...helpers,
  ...reading,
  ...making,
  ...dropping,
  `select keep_view_partitions(view, null) from unnest(array['session_view', 'audit_view']) as wanted (view)`,
];
