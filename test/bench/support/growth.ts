import pg from 'pg';

/** Days over which a filled log reaches back. */
const DAYS = 400;

/**
 * One session in so many is the first person's, who has 20,000 of 10 million events then: ten years of three logins a
 * day. The others share the rest.
 */
const SESSIONS_TO_ONE = 500;

/** Makes an empty, migrated log keep so many events in a partition; a new installation keeps ten million. */
export async function makePartitions(databaseUrl: string, size: number): Promise<void> {
  await using client = await connected(databaseUrl);
  await client.query(`
    drop view recent_event; drop view event_head;
    drop table event_from_10000001; drop table event_from_1;
    create table event_from_1 (like event, unique (event_id), unique (stream, revision));
    alter table event attach partition event_from_1 for values from (1) to (${size + 1});
    update event_partitioning set partition_size = ${size};
    select add_event_partition();`);
}

/**
 * Fills the log of a stopped installation by repeating the sessions of two events there are, under other time-ordered
 * ids and at times spread over {@link DAYS} days, and moves every checkpoint to its end.
 *
 * @returns the events it has then
 */
export async function fillLog(
  databaseUrl: string,
  events: number,
  progress: (text: string) => void,
): Promise<number> {
  await using client = await connected(databaseUrl);
  await client.query(`
    create temporary table template as
    select s.stream, s.n, e.revision, e.type, e.data, e.metadata
    from (
      select stream, (row_number() over (order by min(position)) - 1)::int as n
      from event where stream like 'session-%' group by stream having count(*) = 2
    ) as s join event e using (stream);
    analyze template`);
  const { rows: counted } = await client.query<{ n: number }>(
    'select count(distinct n)::int as n from template',
  );
  const sessionsRepeated = counted[0]?.n ?? 0;
  const slice = 250_000;
  for (;;) {
    const { rows } = await client.query<{ head: string }>(
      'select position as head from event_head',
    );
    const head = Number(rows[0]?.head);
    if (head >= events) break;
    progress(`filling the log, ${head} of ${events} events`);
    const sessions = Math.ceil(Math.min(slice, events - head) / 2);
    await client.query('select make_event_room($1)', [head + 2 * sessions]);
    await client.query(INSERT, [
      ...[head, sessions, head / events, (2 * sessions) / events],
      sessionsRepeated,
    ]);
  }
  await client.query('vacuum analyze event');
  const { rows } = await client.query<{ n: string }>('select position as n from event_head');
  await client.query('update checkpoint set position = $1', [rows[0]?.n]);
  return Number(rows[0]?.n);
}

/** `$3`, `$4`: share of the time that has passed before these sessions, and that they take; `$5`: sessions repeated. */
const INSERT = `
  with made as materialized (
    select s, case when s % ${SESSIONS_TO_ONE} = 0 then 0 else coalesce(1 + s % nullif($5::int - 1, 0), 0) end as n, moment,
      substr(hex, 1, 8) || '-' || substr(hex, 9, 4) || '-7' || substr(random, 1, 3) || '-8' ||
      substr(random, 4, 3) || '-' || substr(random, 7, 12) as id
    from generate_series(1, $2::int) as s,
      lateral (select now() - interval '${DAYS} days' * (1 - $3::float - $4::float * s / $2) as moment) as m,
      lateral (select lpad(to_hex((extract(epoch from moment) * 1000)::bigint), 12, '0') as hex,
        md5(($1::bigint + s)::text) as random) as h
  ), stored as (
    insert into event (position, stream, revision, event_id, type, data, metadata)
    select $1::bigint + 2 * (m.s - 1) + t.revision + 1, 'session-' || m.id, t.revision,
      (substr(m.id, 1, 20) || substr(md5(m.id || t.revision), 1, 3) || '-' ||
        substr(md5(m.id || t.revision), 4, 12))::uuid, t.type,
      replace(t.data, substr(t.stream, 9), m.id),
      regexp_replace(replace(t.metadata, substr(t.stream, 9), m.id), '"time":"[^"]*"',
        '"time":"' || to_char(m.moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') || '"')
    from made m join template t using (n)
    returning stream, position
  )
  insert into stream_head (stream, revision, first_position, last_position)
  select stream, 1, min(position), max(position) from stored group by stream`;

/** Bytes of what grows with every event, with its indexes. */
export async function bytesStored(databaseUrl: string): Promise<Readonly<Record<string, number>>> {
  await using client = await connected(databaseUrl);
  const { rows } = await client.query<{ what: string; bytes: string }>(`
    select what, coalesce((select sum(pg_total_relation_size(relid)) from pg_partition_tree(name::regclass)),
      pg_total_relation_size(name::regclass)) as bytes
    from (values ('log', 'event'), ('heads', 'stream_head'), ('sessions', 'session_view'), ('audit', 'audit_view'),
      ('tree', 'audit_tree_tile')) as stored(what, name)`);
  return Object.fromEntries(rows.map(({ what, bytes }) => [what, Number(bytes)]));
}

async function connected(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
