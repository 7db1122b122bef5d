import { hostname } from 'node:os';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import type pg from 'pg';
import type { Clock } from '../../application/ports/clock.ts';
import { NotReady } from '../../application/ports/faults.ts';
import { backOff, pause } from '../../application/ports/follow.ts';
import {
  notificationChannel,
  type NotificationFeed,
} from '../../application/ports/notifications.ts';
import type { InstallationLevel } from '../codec/eventEncoding.ts';
import { systemClock } from '../system.ts';
import { orUnavailable } from './pool.ts';
import { finishedByNewer, UnknownSchema } from './migrate.ts';
import { NOTIFICATION_CONNECTION } from './notifications.ts';

/** Notification that the level was raised. */
const TOPIC = 'level';

/** A process of the service or a command, as its connection for notifications tells it. */
export interface RunningProcess {
  /** `host:pid`; of a release before levels, the address it connected from. */
  readonly name: string;
  /** Null: of a release before levels. */
  readonly release: string | null;
  /** Highest level it can be part of; 0 of a release before levels. */
  readonly level: number;
  /** Start of the process by the database's clock, also after it connected anew. */
  readonly since: Date;
  /** Begin of the mark of each master key it was given. */
  readonly masterKeys: readonly string[];
}

/** Characters of a release in the name of a process. */
const RELEASE_LENGTH = 20;

/** Characters of a master key's mark in the name of a process. */
export const MARK_LENGTH = 6;

/** Radix of the age in the name of a process, to keep it short. */
const AGE_RADIX = 36;

/**
 * Names this process's connection for notifications, anew for each attempt: with the age of the process by then, ms, as
 * a connection may be younger. PostgreSQL keeps 63 bytes.
 *
 * @param marks of the master keys it was given
 */
export function announced(
  release: string,
  level: number,
  marks: readonly string[],
  clock: Clock = systemClock,
): () => string {
  const process_ = `${hostname()}:${process.pid}`;
  const keys = marks.map((mark) => mark.slice(0, MARK_LENGTH)).join(',');
  const startedAt = clock.now().getTime();
  return () => {
    const age = Math.max(0, clock.now().getTime() - startedAt).toString(AGE_RADIX);
    const begin = `${NOTIFICATION_CONNECTION} ${level} ${release.slice(0, RELEASE_LENGTH)} ${keys} ${age} `;
    return begin + process_.slice(begin.length - 63);
  };
}

/** Compares as much of a release as a process tells. */
export const isOfRelease = ({ release }: RunningProcess, version: string): boolean =>
  release === version.slice(0, RELEASE_LENGTH);

/** The processes that are connected. @throws Unavailable(database) */
export async function findProcesses(
  database: QueryExecutorProvider,
): Promise<readonly RunningProcess[]> {
  const { rows } = await orUnavailable('database', () =>
    sql<{ readonly name: string; readonly address: string; readonly since: Date }>`
      select application_name as name, backend_start as since,
        coalesce(host(client_addr) || ':' || client_port, 'this machine') as address
      from pg_stat_activity
      where datname = current_database()
        and split_part(application_name, ' ', 1) = ${NOTIFICATION_CONNECTION}
      order by application_name, backend_start`.execute(database),
  );
  return rows.map(({ name, address, since: connectedAt }) => {
    const [, level, release, ...rest] = name.split(' ');
    if (level === undefined || release === undefined) {
      return { name: address, release: null, level: 0, since: connectedAt, masterKeys: [] };
    }
    // A release before generations of issuing CAs tells no age.
    const age = rest.length > 2 ? Number.parseInt(rest.at(-2) ?? '', AGE_RADIX) : 0;
    const since = new Date(connectedAt.getTime() - age);
    // A release before the rotation of master keys names none.
    const masterKeys = rest.length > 1 ? (rest[0] ?? '').split(',') : [];
    return { name: rest.at(-1) ?? address, release, level: Number(level), since, masterKeys };
  });
}

/** Raises the installation to a level, and tells all processes; one that is there already is left alone. */
export async function raiseLevel(database: Kysely<unknown>, level: number): Promise<void> {
  await sql`
    with raised as (
      update release_level set level = ${level}, raised_at = now() where level < ${level} returning 1
    )
    select pg_notify(${notificationChannel}, ${TOPIC}) from raised`.execute(database);
}

/** The level of the installation, as this process knows it. */
export interface ReleaseLevel {
  /** Kept up to date; 1, which every release knows, until it was read. */
  readonly installation: InstallationLevel;
  /** For `/readyz`: rejects with NotReady once the installation has left this process behind. */
  check(): Promise<void>;
  /** Reads it, and again whenever it may have been raised. @throws UnknownSchema, Unavailable(database) */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface ReleaseLevelOptions {
  readonly pool: pg.Pool;
  readonly feed: NotificationFeed;
  /** Highest level that this release can be part of. */
  readonly known: number;
  /** Called once when it cannot be read, which is tried again, or was raised above what this release knows. */
  readonly onFailure: (cause: unknown) => void;
  /** Called once when it was raised above what this release knows: this process can write nothing any more. */
  readonly onOutdated?: (cause: UnknownSchema) => void;
}

/** Follows the level of the installation. It never falls. */
export function createReleaseLevel({
  pool,
  feed,
  known,
  onFailure,
  onOutdated,
}: ReleaseLevelOptions): ReleaseLevel {
  const stopped = new AbortController();
  const installation: { reached: number; leftBehind: UnknownSchema | null } = {
    reached: 1,
    leftBehind: null,
  };
  let unsubscribe: () => void = () => undefined;

  async function read(): Promise<void> {
    const { rows } = await orUnavailable('database', () =>
      pool.query<{ readonly level: number }>('select level from release_level'),
    );
    const found = rows[0]?.level ?? 1;
    if (found <= known) {
      installation.reached = Math.max(installation.reached, found);
      return;
    }
    throw (installation.leftBehind ??= finishedByNewer(found, known));
  }

  /** The notification comes once, so a read that fails is tried until it succeeds. */
  async function readAgain(): Promise<void> {
    const goesOn = () => installation.leftBehind === null && !stopped.signal.aborted;
    for (let tries = 1; goesOn(); tries += 1) {
      try {
        await read();
        return;
      } catch (error) {
        if (tries === 1 || error === installation.leftBehind) onFailure(error);
        if (error instanceof UnknownSchema) onOutdated?.(error);
        await pause(backOff(tries), stopped.signal);
      }
    }
  }

  return {
    installation,
    check: () =>
      installation.leftBehind === null
        ? Promise.resolve()
        : Promise.reject(new NotReady(ofFormerRelease)),
    async start() {
      // The connection that names this process is open by now: `upgrade finish` sees it, or this reads the level it raised.
      unsubscribe = feed.subscribe([TOPIC], () => void readAgain());
      await read();
    },
    stop() {
      stopped.abort();
      unsubscribe();
      return Promise.resolve();
    },
  };
}

const ofFormerRelease =
  'The upgrade to a newer release was finished. This process belongs to the former release and writes nothing. Start the newer release.';
