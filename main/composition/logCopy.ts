import { createAggregate } from '../../application/handleCommand.ts';
import { type Copied, createLogCopy, type LogCopyOptions } from '../../application/log/copyLog.ts';
import { type LogMoveOptions, moveLog } from '../../application/log/moveLog.ts';
import type { LogIdentities } from '../../application/log/verifyLog.ts';
import type { EventLog } from '../../application/ports/eventLog.ts';
import { Unavailable, WrongLog } from '../../application/ports/faults.ts';
import type { CopyDestination } from '../../application/log/ports/logCopy.ts';
import { type LogIdentity, logIdentityDecider } from '../../domain/logIdentity/logIdentity.ts';
import { createEventLog } from '../../infrastructure/eventstore/eventLog.ts';
import { createPersonalDataVault } from '../../infrastructure/codec/personalDataVault.ts';
import { readMasterKeys } from '../../infrastructure/codec/postgresMasterKeys.ts';
import { createPostgresPersonKeys } from '../../infrastructure/codec/postgresPersonKeys.ts';
import { countArchiveEntries } from '../../infrastructure/postgres/archiveCatalog.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { redactedAddress } from '../../infrastructure/config/redactedAddress.ts';
import {
  type ClosableDestination,
  createEventStoreDbDestination,
  createPostgresDestination,
} from '../../infrastructure/eventstore/copyDestinations.ts';
import { createEventStoreDbEventLog } from '../../infrastructure/eventstore/eventStoreDbEventLog.ts';
import { createPostgresEventLog } from '../../infrastructure/eventstore/postgresEventLog.ts';
import { createAdvisoryLock } from '../../infrastructure/postgres/advisoryLock.ts';
import { createPostgresFollowedLog } from '../../infrastructure/postgres/followedLog.ts';
import { countLogUsers, isSameDatabase } from '../../infrastructure/postgres/logUsers.ts';
import { migrate } from '../../infrastructure/postgres/migrate.ts';
import { createPostgresMovedPositions } from '../../infrastructure/postgres/movedPositions.ts';
import { createPool, orUnavailable } from '../../infrastructure/postgres/pool.ts';
import { withMaintenanceConnection } from '../../infrastructure/postgres/maintenanceConnection.ts';
import { systemClock, systemRandomness } from '../../infrastructure/system.ts';
import { openDatabase } from './stores.ts';
import { type PatientStartOptions, startPatiently, withSetting } from './patientStart.ts';
import type { ShutdownStack } from './shutdownStack.ts';

export interface LogCopyRequest extends Pick<LogCopyOptions, 'onInterrupted' | 'signal'> {
  /** `postgres://…` or `esdb://…`; omitted: the log of the configured service. */
  readonly from?: string;
  /** Address like `from`, or `database`: the service's own, whose embedded server listens elsewhere at every start. */
  readonly to: string;
  /** Sends appends to EventStoreDB one by one: slower, but keeps the order even when the server refuses one. */
  readonly oneByOne?: boolean;
  /** Present: the service's database follows the copy afterwards. */
  readonly switching?: {
    /** Time to wait for service processes to stop, ms. */
    readonly stopTimeoutMs: number;
    readonly onWaiting?: (processes: number) => void;
  };
  /** Called after every verified batch: events so far, position of the last, head of the source. */
  readonly onProgress?: (records: number, position: bigint, head: bigint) => void;
  /** Time to wait for logs and database before anything is copied. */
  readonly patience: PatientStartOptions;
}

export interface LogCopyOutcome {
  /** Null: the database followed the destination already, and nothing was compared. */
  readonly copied: Copied | null;
  /** Log the database follows now; null when nothing was switched. */
  readonly identity: LogIdentity | null;
}

interface OpenLog {
  readonly log: EventLog;
  readonly asDestination: CopyDestination;
  readonly isPostgres: boolean;
  close(): Promise<void>;
}

/** Word for the service's own database. */
const OWN_DATABASE = 'database';
/** Interval of reading a head, ms. */
const HEAD_MS = 2000;

/**
 * Copies a log into another, and on request lets the service's database follow it.
 *
 * @throws WrongLog, NotACopy, StillUsed, Unavailable; Error for an address that is not of a log
 */
export async function copyLog(config: Config, request: LogCopyRequest): Promise<LogCopyOutcome> {
  const { switching, onProgress, patience, onInterrupted, signal } = request;
  const { from, to, database, source, destination, shutdown } = await startPatiently(
    (stack) => openParties(config, request, stack),
    patience,
  );
  try {
    const copying: LogCopyOptions = {
      ...(onInterrupted && { onInterrupted }),
      ...(signal && { signal }),
      source: source.log,
      destination: destination.asDestination,
      ...(onProgress && { onEqual: progress(source.log, onProgress) }),
    };
    if (switching === undefined || database === null) {
      return { copied: await createLogCopy(copying).catchUp(), identity: null };
    }
    for (const url of [from, to]) await assertOwn(url, database.databaseUrl);
    const [movedFrom, movedTo] = [redactedAddress(from), redactedAddress(to)];
    const options = { ...copying, ...switching, movedFrom, movedTo };
    return await database.move(options, source.log, destination);
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    const { message } = withSetting(error);
    throw new Error(
      `${message} Nothing is lost. Run the command again once it is available: it continues from here.`,
      { cause: error },
    );
  } finally {
    await shutdown.stop();
  }
}

/** Opens both logs, and the database where it is needed. @throws WrongLog, Unavailable */
async function openParties(config: Config, request: LogCopyRequest, shutdown: ShutdownStack) {
  const { from: asked, oneByOne, onInterrupted } = request;
  const kept = async <Opened extends { close(): Promise<unknown> }>(
    opening: Promise<Opened>,
  ): Promise<Opened> => {
    const resource = await opening;
    shutdown.defer(() => resource.close());
    return resource;
  };
  const database = needsDatabase(config, request) ? await kept(openServiceDatabase(config)) : null;
  const from = asked ?? database?.logUrl ?? '';
  const to = request.to === OWN_DATABASE ? (database?.databaseUrl ?? '') : request.to;
  await assertWhole(from, database?.databaseUrl);
  const source = await kept(openLog(from, onInterrupted));
  const destination = await kept(openDestination(to, onInterrupted, oneByOne));
  return { from, to, database, source, destination, shutdown };
}

/** True when the database that follows the log is asked: to follow the copy, or for the archive of its log. */
function needsDatabase(config: Config, { from, to, switching }: LogCopyRequest): boolean {
  if (switching !== undefined || to === OWN_DATABASE) return true;
  return from === undefined || from === config.SVC_EVENTSTORE_URL;
}

/** The database whose read models follow the log. */
async function openServiceDatabase(config: Config) {
  const { databaseUrl, masterKeys, closeDatabase } = await openDatabase(config);
  const pool = createPool({ url: databaseUrl, max: 4, applicationName: 'tamga maintenance' });
  const { derivationKey, wrapping } = await readMasterKeys(pool, masterKeys);
  const keys = createPostgresPersonKeys({ pool });
  const vault = createPersonalDataVault({ keys, masterKey: derivationKey, wrapping });
  const identitiesOf = (log: EventLog): LogIdentities =>
    createAggregate('log', logIdentityDecider, {
      eventStore: createEventLog({ store: log, vault }),
      clock: systemClock,
      randomness: systemRandomness,
    });
  return {
    databaseUrl,
    logUrl: config.SVC_EVENTSTORE_URL ?? databaseUrl,
    async move(
      options: LogCopyOptions &
        Pick<LogMoveOptions, 'stopTimeoutMs' | 'onWaiting' | 'movedFrom' | 'movedTo'>,
      source: EventLog,
      destination: OpenLog,
    ): Promise<LogCopyOutcome> {
      await migrateAt(databaseUrl);
      const move = {
        ...options,
        sourceIdentities: identitiesOf(source),
        destinationIdentities: identitiesOf(destination.log),
        followedLog: createPostgresFollowedLog(pool),
        positions: createPostgresMovedPositions(pool, destination.isPostgres),
        usersOfTheLog: () => countLogUsers(pool),
      };
      return createAdvisoryLock(pool)('log move', () => moveLog(move));
    },
    async close() {
      await pool.end();
      await closeDatabase();
    },
  };
}

async function migrateAt(url: string): Promise<void> {
  await orUnavailable('database', () =>
    withMaintenanceConnection(url, (resources) => migrate(resources.database)),
  );
}

function isPostgres(url: string): boolean {
  return /^postgres(ql)?:\/\//.test(url);
}

/** A log in PostgreSQL must be in the service's own database. @throws WrongLog */
async function assertOwn(url: string, databaseUrl: string): Promise<void> {
  if (!isPostgres(url) || (await isSameDatabase(url, databaseUrl))) return;
  throw new WrongLog(
    `${redactedAddress(url)} is not the database of SVC_DATABASE_URL, the only one in which the service looks for a log in PostgreSQL. Copy without --switch, or name that database.`,
  );
}

/**
 * The positions in an archive are those of its log.
 *
 * @param databaseUrl database that follows the log
 * @throws WrongLog for a log some of which is in an archive
 */
async function assertWhole(url: string, databaseUrl: string | undefined): Promise<void> {
  const catalogUrl = isPostgres(url) ? url : databaseUrl;
  if (catalogUrl === undefined || (await countArchiveEntries(catalogUrl)) === 0) return;
  const advice = isPostgres(url)
    ? 'put them back with ./tamga archive restore first'
    : 'it stays where it is (docs/operations.md, Archive)';
  throw new WrongLog(
    `Events of ${redactedAddress(url)} are in an archive, which belongs to this log: ${advice}.`,
  );
}

async function openDestination(
  ...parameters: Parameters<typeof openLog>
): ReturnType<typeof openLog> {
  const [url] = parameters;
  if (isPostgres(url)) await migrateAt(url);
  return openLog(...parameters);
}

async function openLog(
  url: string,
  onInterrupted: LogCopyOptions['onInterrupted'],
  oneByOne = false,
): Promise<OpenLog> {
  const onError = onInterrupted && { onError: onInterrupted };
  if (isPostgres(url)) {
    const log = createPostgresEventLog({ url, statementTimeoutMs: 60_000, ...onError });
    await log.start();
    return opened(log, createPostgresDestination(log, url), true);
  }
  if (!/^(esdb|kurrentdb)(\+discover)?:\/\//.test(url)) {
    throw new Error(`${redactedAddress(url)} must begin with postgres:// or esdb://.`);
  }
  const log = createEventStoreDbEventLog({ url, ...onError });
  await log.start();
  const inFlight = oneByOne ? 1 : undefined;
  return opened(log, createEventStoreDbDestination(log, url, inFlight), false);
}

function opened(
  log: EventLog & { stop(): Promise<void> },
  asDestination: ClosableDestination,
  isInPostgres: boolean,
): OpenLog {
  const close = async () => {
    await asDestination.close();
    await log.stop();
  };
  return { log, asDestination, isPostgres: isInPostgres, close };
}

function progress(
  source: EventLog,
  onProgress: NonNullable<LogCopyRequest['onProgress']>,
): NonNullable<LogCopyOptions['onEqual']> {
  let head = 0n;
  let asked = 0;
  return async (events) => {
    const last = events.at(-1);
    if (last === undefined) return;
    if (Date.now() >= asked + HEAD_MS) {
      head = (await source.head()) ?? 0n;
      asked = Date.now();
    }
    onProgress(last.index + 1, last.source, head > last.source ? head : last.source);
  };
}
