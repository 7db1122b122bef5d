import type { LogMoved } from '../../domain/logIdentity/events.ts';
import {
  LOG_IDENTITY,
  type LogIdentity,
  type LogState,
} from '../../domain/logIdentity/logIdentity.ts';
import { WrongLog } from '../ports/faults.ts';
import { pause } from '../ports/follow.ts';
import { isSamePlace } from './movement.ts';
import type { FollowedLog } from './ports/followedLog.ts';
import type { MovedPositions } from './ports/logCopy.ts';
import { type Copied, createLogCopy, type LogCopyOptions, NotACopy } from './copyLog.ts';
import { logContext, type LogIdentities } from './verifyLog.ts';

/** Processes of the service run on the database: they must be stopped before switching. */
export class StillUsed extends Error {
  override readonly name = 'StillUsed';

  constructor(processes: number) {
    super(
      `The log was not switched: ${processes} ${processes === 1 ? 'process' : 'processes'} of the service still run. Stop them and run the command again.`,
    );
  }
}

export interface LogMoveOptions extends Omit<LogCopyOptions, 'isSurplus'> {
  readonly sourceIdentities: LogIdentities;
  readonly destinationIdentities: LogIdentities;
  readonly followedLog: Pick<FollowedLog, 'load'>;
  readonly positions: MovedPositions;
  /** Number of running processes of the service. */
  readonly usersOfTheLog: () => Promise<number>;
  /** Addresses of the source and of the destination for display, without credentials. */
  readonly movedFrom: string;
  readonly movedTo: string;
  /** Time limit for the processes to end, ms. */
  readonly stopTimeoutMs: number;
  /** Called once everything is copied and whenever the number of processes to stop changes. */
  readonly onWaiting?: (processes: number) => void;
}

export interface Moved {
  readonly identity: LogIdentity;
  /** Result of the copy; null: the database follows the destination already. */
  readonly copied: Copied | null;
}

const LOOK_EVERY_MS = 1000;

/**
 * Moves an installation to another log: copies the source while the service runs, waits until it is stopped, retires
 * the source, copies the rest, records the succession in the destination, and rewrites every position stored in the
 * database. Each step happens once over all restarts, and until the last the database follows the source.
 *
 * @throws StillUsed, NotACopy
 * @throws WrongLog when database, source and destination do not belong to one move
 */
export async function moveLog(options: LogMoveOptions): Promise<Moved> {
  const { sourceIdentities, destinationIdentities, positions, movedTo, onEqual } = options;
  const { from, to } = await parties(options);
  if (from === null) return { identity: to, copied: null };
  await positions.begin({ source: options.movedFrom, destination: movedTo });
  const copy = createLogCopy({
    ...options,
    isSurplus: ({ type, stream }) => type === 'LogMoved' && stream === `log-${LOG_IDENTITY}`,
    onEqual: async (events) => {
      await positions.add(events);
      await onEqual?.(events);
    },
  });

  await copy.catchUp();
  await untilUnused(options, () => copy.catchUp());
  const retirement = { epoch: to.epoch, movedTo };
  await sourceIdentities.handle(LOG_IDENTITY, { type: 'Retire', retirement }, logContext);
  const { records, destinationRoot } = await copy.catchUp();
  const users = await options.usersOfTheLog();
  if (users > 0) throw new StillUsed(users);

  const root = destinationRoot.toString('base64');
  const move = { installationId: to.installationId, epoch: to.epoch, records, root };
  await destinationIdentities.handle(LOG_IDENTITY, { type: 'Move', move }, logContext);
  // Detects events just appended, and that the source has not grown.
  const copied = await copy.catchUp();
  assertMoved(copied);
  await positions.rewrite(to);
  return { identity: to, copied };
}

/** Identities of both logs; `from` is null when the database follows the destination already. @throws WrongLog */
async function parties(
  options: LogMoveOptions,
): Promise<{ readonly from: LogIdentity | null; readonly to: LogIdentity }> {
  const { sourceIdentities, destinationIdentities, followedLog, movedTo } = options;
  const { followed } = await followedLog.load();
  const { state: source } = await sourceIdentities.load(LOG_IDENTITY);
  const { state: destination } = await destinationIdentities.load(LOG_IDENTITY);
  if (source === null || followed === null) {
    throw new WrongLog(
      'The source names no installation, or the database follows no log yet. Start the service on it once, then switch.',
    );
  }
  const refusal = refusalOf(source, followed, movedTo);
  if (refusal !== null) throw new WrongLog(refusal);
  const { installationId, wrappingKeyFingerprint, retired } = source;
  const to = { installationId, wrappingKeyFingerprint, epoch: retired?.epoch ?? source.epoch + 1 };
  const isDone = followed.epoch === to.epoch && destination?.epoch === to.epoch;
  return { from: isDone ? null : source, to };
}

function refusalOf(
  { installationId, epoch, retired }: NonNullable<LogState>,
  followed: LogIdentity,
  movedTo: string,
): string | null {
  if (installationId !== followed.installationId) {
    return `The source is the log of installation ${installationId}, but the database follows the log of ${followed.installationId}.`;
  }
  if (retired !== null && !isSamePlace(retired.movedTo, movedTo)) {
    return `The source was retired in favour of ${retired.movedTo}. Finish that move with the same --to.`;
  }
  if (followed.epoch === epoch || followed.epoch === retired?.epoch) return null;
  return `The source is the log of epoch ${epoch}, but the database follows the log of epoch ${followed.epoch}.`;
}

async function untilUnused(options: LogMoveOptions, catchUp: () => Promise<Copied>): Promise<void> {
  const {
    usersOfTheLog,
    stopTimeoutMs,
    onWaiting,
    signal = new AbortController().signal,
  } = options;
  const until = Date.now() + stopTimeoutMs;
  let reported = 0;
  for (;;) {
    const users = await usersOfTheLog();
    if (users === 0) return;
    if (users !== reported) onWaiting?.(users);
    reported = users;
    if (Date.now() >= until) throw new StillUsed(users);
    await pause(Math.min(LOOK_EVERY_MS, Math.max(until - Date.now(), 0)), signal);
    signal.throwIfAborted();
    await catchUp();
  }
}

function assertMoved({ records, destinationRoot, surplus }: Copied): void {
  const said = JSON.parse(surplus?.data ?? '{}') as Partial<LogMoved['data']>;
  if (said.records === records && said.root === destinationRoot.toString('base64')) return;
  throw new NotACopy(
    `The destination states that ${said.records} events with the root ${said.root} were moved to it, but ${records} equal events with another root were found.`,
  );
}
