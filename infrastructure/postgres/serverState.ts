import type pg from 'pg';
import type { Clock } from '../../application/ports/clock.ts';
import { type ClockComparison, isRightClock } from '../system.ts';
import { orUnavailable } from './pool.ts';

/** State of the PostgreSQL server that the service relies on, as a connection of this process sees it. */
export interface ServerState {
  readonly settings: Readonly<Record<RequiredSetting, string>>;
  /** True of a standby. */
  readonly isInRecovery: boolean;
  readonly maxConnections: number;
  /** Connections of `maxConnections` that only superusers and maintenance get. */
  readonly reservedConnections: number;
  /** Connections open now, of all clients. */
  readonly connections: number;
  readonly clock: ClockComparison;
  /** The role that statements run as, where it is another than the one that connected; null: the same. */
  readonly otherRole: string | null;
  /** Schemas that hold tables of ours while the search path leads elsewhere. */
  readonly otherSchemas: readonly string[];
}

/** Values that are right, and what a wrong one costs. */
const required = {
  fsync: [['on'], 'a crash of the machine can destroy the database'],
  full_page_writes: [['on'], 'a crash of the machine can destroy the database'],
  synchronous_commit: [
    ['on', 'local', 'remote_write', 'remote_apply'],
    'a crash loses acknowledged events',
  ],
  default_transaction_isolation: [
    ['read committed'],
    'an append cannot see the commits it waited for',
  ],
  default_transaction_read_only: [['off'], 'nothing can be written'],
  session_replication_role: [['origin', 'local'], 'triggers and foreign keys do nothing'],
  server_encoding: [['UTF8'], 'names cannot be stored as they are written'],
} as const satisfies Readonly<Record<string, readonly [right: readonly string[], cost: string]>>;

export type RequiredSetting = keyof typeof required;

const names = Object.keys(required) as RequiredSetting[];

type Row = Omit<ServerState, 'clock'> & { readonly nowMs: number };

const QUERY = `
  select json_build_object(${names.map((name) => `'${name}', current_setting('${name}')`).join(', ')}) as settings,
    pg_is_in_recovery() as "isInRecovery",
    current_setting('max_connections')::int as "maxConnections",
    current_setting('superuser_reserved_connections')::int
      + coalesce(current_setting('reserved_connections', true), '0')::int as "reservedConnections",
    (select coalesce(sum(numbackends), 0) from pg_stat_database)::int as connections,
    extract(epoch from clock_timestamp())::float8 * 1000 as "nowMs",
    nullif(current_user, session_user)::text as "otherRole",
    (select coalesce(array_agg(schemaname::text), '{}') from pg_tables
      where tablename = 'kysely_migration' and to_regclass('kysely_migration') is null) as "otherSchemas"`;

/**
 * Asks the server.
 *
 * @param monotonic milliseconds of a clock that nobody sets: one that is set while the server answers is not taken for a
 *   slow answer
 * @throws Unavailable(database)
 */
export async function readServerState(
  pool: pg.Pool,
  clock: Clock,
  monotonic = () => performance.now(),
): Promise<ServerState> {
  const client = await orUnavailable('database', () => pool.connect());
  try {
    const before = monotonic();
    const { rows } = await orUnavailable('database', () => client.query<Row>(QUERY));
    const uncertaintyMs = (monotonic() - before) / 2;
    const asked = clock.now().getTime() - uncertaintyMs;
    const [row] = rows;
    if (row === undefined) throw new Error('The query returned no row.');
    const { nowMs, ...state } = row;
    return { ...state, clock: { offsetMs: asked - nowMs, uncertaintyMs } };
  } finally {
    client.release();
  }
}

/** Reasons why acknowledged events may be lost or cannot be written; each says what to change. */
export function durabilityFaults({
  settings,
  isInRecovery,
  otherRole,
  otherSchemas,
}: ServerState): readonly string[] {
  const faults = names.flatMap((name) => {
    const [right, cost] = required[name];
    if ((right as readonly string[]).includes(settings[name])) return [];
    return [
      `${name} is "${settings[name]}": ${cost}. Set it to "${right[0]}" in postgresql.conf, and also for the role and the ` +
        'database if it is set there (alter role … reset, alter database … reset).',
    ];
  });
  if (otherRole !== null) {
    faults.push(
      `Statements run as the role "${otherRole}". Reset it for the role and the database (alter role … reset role).`,
    );
  }
  if (otherSchemas.length > 0) {
    faults.push(
      `The tables are in the schema ${otherSchemas.join(', ')}, which search_path does not contain. Set it for the role, or in SVC_DATABASE_URL (?options=-c search_path=…).`,
    );
  }
  return isInRecovery
    ? [...faults, 'It is a standby (in recovery). Name the primary in SVC_DATABASE_URL.']
    : faults;
}

/** @param needed connections this process may open, beside the one that asked */
export function connectionFault(state: ServerState, needed: number): string | null {
  const { maxConnections, reservedConnections, connections } = state;
  if (needed <= maxConnections - reservedConnections - connections) return null;
  return (
    `max_connections is ${maxConnections}, of which ${reservedConnections} are reserved and ${connections} in use: this ` +
    `process opens up to ${needed} more. Raise max_connections in postgresql.conf, or lower SVC_DATABASE_POOL ` +
    '(docs/operations.md, Connections).'
  );
}

/** Reasons not to start, the clocks among them. @param needed as of {@link connectionFault} */
export function startFaults(state: ServerState, needed: number): readonly string[] {
  const others = [connectionFault(state, needed), clockFault(state)].filter(
    (fault) => fault !== null,
  );
  return [...durabilityFaults(state), ...others];
}

/** @returns null while the clocks agree, as far as can be told */
export function clockFault({ clock }: Pick<ServerState, 'clock'>): string | null {
  if (isRightClock(clock)) return null;
  const { offsetMs } = clock;
  const seconds = (Math.abs(offsetMs) / 1000).toFixed(1);
  return (
    `The clock of this machine is ${seconds} s ${offsetMs > 0 ? 'ahead of' : 'behind'} the database server's: ` +
    'synchronise both (NTP).'
  );
}
