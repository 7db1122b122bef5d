import type { LogIdentity, LogState } from './logIdentity.ts';

/** Identities of a log and a database, compared before using them together. */
export interface LogAndDatabase {
  /** State of the log's identity. */
  readonly log: LogState;
  /** True when the log holds no event at all. */
  readonly isLogEmpty: boolean;
  /** Position of the log's end, or later; null when it is empty. */
  readonly head: bigint | null;
  /** Identity of the log the database follows; null when not recorded yet. */
  readonly followed: LogIdentity | null;
  /** Highest checkpoint of the database; null: none. */
  readonly followedTo: bigint | null;
  /** True when the database was never used by an installation: no keys, no authorities, no events. */
  readonly isDatabaseNew: boolean;
  /** Of this process's key-encryption key. */
  readonly wrappingKeyFingerprint: string;
  /** Addresses of a move to this log that was begun and not finished; null: none. */
  readonly moveToHere: { readonly source: string; readonly destination: string } | null;
}

const CHOOSE_LOG =
  'Name the log of this installation in SVC_EVENTSTORE_URL (without it, the log is in the database of SVC_DATABASE_URL)';
const READ_MORE = 'See "The identity of the log" in docs/operations.md.';

/**
 * Reason why this log and this database must not be used together, with a remedy; null when they may. A log without
 * identity is accepted from a database without one: a new installation, or one older than identities.
 */
export function compareIdentity(found: LogAndDatabase): string | null {
  const reason = found.log === null ? withoutIdentity(found) : withIdentity(found, found.log);
  return reason === null ? null : `${reason} ${READ_MORE}`;
}

/** Says how a move is finished that was begun; `source` is known to the database that follows it. */
function halfMoved(destination: string, source?: string): string {
  const from = source === undefined ? '' : ` from ${source}`;
  const to = destination.startsWith('postgres') ? 'database' : destination;
  return (
    `A move of the log${from} to ${destination} is half done, and the database follows the former log until it is finished. Nothing is lost. ` +
    `Stop every process of the service and run \`./tamga log copy${source === undefined ? '' : ` --from ${source}`} --to ${to} --switch\` to finish, with user and password in the addresses.`
  );
}

function withoutIdentity(found: LogAndDatabase): string | null {
  const { isLogEmpty, followed, followedTo, isDatabaseNew, moveToHere } = found;
  if (moveToHere !== null) return halfMoved(moveToHere.destination, moveToHere.source);
  if (isLogEmpty) {
    if (followed === null && followedTo === null) return null;
    const whose = followed === null ? '' : ` of installation ${followed.installationId}`;
    const upTo = followedTo === null ? '' : `, up to position ${followedTo}`;
    return `The event log is empty, but the database contains data from the log${whose}${upTo}. ${CHOOSE_LOG}, or restore that log.`;
  }
  if (followed !== null) {
    return `The event log belongs to an unknown installation: it contains events but names no installation, while the database follows the log of installation ${followed.installationId}. ${CHOOSE_LOG}.`;
  }
  if (isDatabaseNew) {
    return `The event log contains events, but the database is new and does not know them. Either the log belongs to another installation, or the database was lost. ${CHOOSE_LOG}. After a loss, first restore the backup of the database.`;
  }
  return tooShort(found);
}

function withIdentity(found: LogAndDatabase, log: NonNullable<LogState>): string | null {
  const { followed, wrappingKeyFingerprint: key } = found;
  const { installationId } = log;
  if (followed !== null && followed.installationId !== installationId) {
    return `The event log belongs to another installation: it is the log of ${installationId}, but the database follows the log of ${followed.installationId}. ${CHOOSE_LOG}.`;
  }
  if (followed === null && log.wrappingKeyFingerprint !== key) {
    return `The event log belongs to another installation: ${installationId} wraps persons' keys with another master key (${log.wrappingKeyFingerprint}, here it is ${key}). ${CHOOSE_LOG}. If the log is the right one, set SVC_SW_MASTER_KEY to the key of its installation.`;
  }
  return faultOfMove(found, log) ?? faultOfKeyOrLength(found, log);
}

/** Moves of the log that were begun, or that the database or its settings do not know. */
function faultOfMove(found: LogAndDatabase, log: NonNullable<LogState>): string | null {
  const { followed } = found;
  const { epoch, retired } = log;
  if (found.moveToHere !== null) {
    return halfMoved(found.moveToHere.destination, found.moveToHere.source);
  }
  if (retired !== null && followed !== null && followed.epoch < retired.epoch) {
    return halfMoved(retired.movedTo);
  }
  if (retired !== null) {
    return `This log was moved (epoch ${retired.epoch}) to ${retired.movedTo}. Nothing is appended here any more. Set SVC_EVENTSTORE_URL to the new address, or remove it if the log moved to the database of SVC_DATABASE_URL.`;
  }
  if (followed !== null && epoch < followed.epoch) {
    return `The event log is from before a move: it has epoch ${epoch}, but the database follows epoch ${followed.epoch}. ${CHOOSE_LOG}: the log that this one was moved to.`;
  }
  if (followed !== null && epoch > followed.epoch) {
    return `The event log was moved: it has epoch ${epoch}, but the database still follows epoch ${followed.epoch}, whose positions mean nothing here. Finish the move for this database: run \`./tamga log copy … --switch\` again.`;
  }
  return null;
}

function faultOfKeyOrLength(found: LogAndDatabase, log: NonNullable<LogState>): string | null {
  const { wrappingKeyFingerprint: key } = found;
  const { installationId } = log;
  if (log.wrappingKeyFingerprint !== key) {
    return `The master key differs: installation ${installationId} wraps the data keys of persons with the key of fingerprint ${log.wrappingKeyFingerprint}, here it is ${key}. Set SVC_SW_MASTER_KEY to the key of the installation.`;
  }
  return tooShort(found);
}

function tooShort({ head, followedTo }: LogAndDatabase): string | null {
  if (followedTo === null || (head !== null && followedTo <= head)) return null;
  return `The event log is shorter than the database expects: it ends at position ${head ?? 'none'}, but the database was at ${followedTo}. The log was restored from a backup that is older than the database. Restore a newer backup, or reset the database to the log and rebuild its read models (./tamga rebuild).`;
}
