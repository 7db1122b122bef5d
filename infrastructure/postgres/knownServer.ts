import type pg from 'pg';

/**
 * The server that the database is on now. PostgreSQL begins a new timeline with every recovery to a point in time, and
 * with every standby that takes over; a server that a dump is read into was initialised with another identifier.
 */
const HERE = `(select system_identifier::text, left(pg_walfile_name(pg_current_wal_lsn()), 8) as timeline
  from pg_control_system()) as here`;

/** A server that the installation was not on. */
export interface OtherServer {
  /** Text for operators. */
  readonly what: string;
  readonly startedAt: Date;
}

/** Null while the database is on the server that it was on. */
export async function otherServer(client: Pick<pg.Pool, 'query'>): Promise<OtherServer | null> {
  const { rows } = await client.query<{
    is_same_system: boolean;
    former: string;
    timeline: string;
    started_at: Date;
  }>(`
    select known.system_identifier = here.system_identifier as is_same_system,
      known.timeline as former, here.timeline, pg_postmaster_start_time() as started_at
    from known_server known, ${HERE}
    where (known.system_identifier, known.timeline) <> (here.system_identifier, here.timeline)`);
  const [row] = rows;
  if (row === undefined) return null;
  const { is_same_system: isSameSystem, former, timeline, started_at: startedAt } = row;
  const what = isSameSystem
    ? `the database was recovered, or a standby took over, while no process ran that knows what came last: PostgreSQL's timeline is ${timeline}, it was ${former}`
    : 'the database is on another server than before: it was read from a dump, or upgraded';
  return { what, startedAt };
}

/** Takes the server that the database is on for its own. */
export async function keepServer(client: Pick<pg.Pool, 'query'>): Promise<void> {
  await client.query(`
    insert into known_server (system_identifier, timeline)
    select system_identifier, timeline from ${HERE}
    on conflict (singleton) do update
      set system_identifier = excluded.system_identifier, timeline = excluded.timeline`);
}
