import type pg from 'pg';

/**
 * The server that the database is on now. PostgreSQL begins a new timeline with every recovery to a point in time, and
 * with every standby that takes over; another server that a dump is read into was initialised with another identifier,
 * and in the same one the database, or the table, has another oid. pg_upgrade keeps oids, and changes the identifier.
 */
export const HERE = `(select system_identifier::text, left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline,
    (select oid from pg_database where datname = current_database()) || '/' || 'known_server'::regclass::oid as database
  from pg_control_system()) as here`;

/** Name of the server {@link HERE}, by which two connections tell that they lead to one. */
export const NAME = `concat_ws('/', here.system_identifier, here.timeline, here.database)`;

/** A server that the installation was not on. */
export interface OtherServer {
  /** Text for operators. */
  readonly what: string;
  /** Time it was first found there: a standby ran long before it took over. */
  readonly since: Date;
}

interface Found {
  readonly is_same_system: boolean;
  readonly is_same_timeline: boolean;
  readonly former: string;
  readonly timeline: string;
  readonly name: string;
}

/** Null while the database is on the server that it was on. Notes when it was first found on another. */
export async function otherServer(client: Pick<pg.Pool, 'query'>): Promise<OtherServer | null> {
  const { rows } = await client.query<Found>(`
    select known.system_identifier = here.system_identifier as is_same_system,
      known.timeline = here.timeline as is_same_timeline, known.timeline as former, here.timeline,
      ${NAME} as name
    from known_server known, ${HERE}
    where (known.system_identifier, known.timeline, known.database)
      <> (here.system_identifier, here.timeline, here.database)`);
  const [row] = rows;
  if (row === undefined) return null;
  return { what: whatOf(row), since: await noteElsewhere(client, row.name) };
}

/** @returns time it was first found there */
async function noteElsewhere(client: Pick<pg.Pool, 'query'>, name: string): Promise<Date> {
  const { rows } = await client.query<{ since: Date }>(
    `update known_server set elsewhere = $1,
       elsewhere_since = case when elsewhere = $1 then elsewhere_since else now() end
     returning elsewhere_since as since`,
    [name],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('The query returned no row.');
  return row.since;
}

function whatOf(found: Found): string {
  const { is_same_system: isSameSystem, is_same_timeline: isSameTimeline } = found;
  if (!isSameSystem) {
    return 'the database is on another server than before: it was restored from a dump, or upgraded';
  }
  return isSameTimeline
    ? 'the database is another one on the same server: it was restored from a dump, or copied'
    : `the database was recovered, or a standby took over, while no process was running that knows the last events: the timeline of PostgreSQL is ${found.timeline}, but was ${found.former}`;
}

/**
 * Takes the server that the database is on for its own.
 *
 * @param name of the only one that it is taken for; default: any
 */
export async function keepServer(
  client: Pick<pg.Pool, 'query'>,
  name: string | null = null,
): Promise<void> {
  await client.query(
    `
    insert into known_server (system_identifier, timeline, database)
    select system_identifier, timeline, database from ${HERE} where $1::text is null or ${NAME} = $1
    on conflict (singleton) do update
      set system_identifier = excluded.system_identifier, timeline = excluded.timeline,
        database = excluded.database`,
    [name],
  );
}
