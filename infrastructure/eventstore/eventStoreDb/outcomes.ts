import { type Metadata, status } from '@grpc/grpc-js';
import type { Endpoint } from './connectionString.ts';

/**
 * Reaction to a failed call: `conflict` the stream is at another revision · `refused` the server will never accept this
 * · `denied` a right is missing · `invalidPosition` the position is after the end of the log · `repeat` retry on this
 * connection after a pause · `reconnect` retry on a new connection to the then leader. A retried append may have been
 * stored: event ids make that safe (`appender.ts`).
 */
export type Action = 'conflict' | 'refused' | 'denied' | 'invalidPosition' | 'repeat' | 'reconnect';

/** All errors of the server and the client library, by their names in the protocol. */
const actions = {
  WrongExpectedVersion: 'conflict',
  MaximumAppendSizeExceeded: 'refused',
  MaximumAppendEventSizeExceeded: 'refused',
  StreamDeleted: 'refused',
  InvalidTransaction: 'refused',
  BadRequest: 'refused',
  AccessDenied: 'denied',
  Unauthenticated: 'denied',
  UserExists: 'refused',
  InvalidPosition: 'invalidPosition',
  ServerBusy: 'repeat',
  Timeout: 'repeat',
  NotLeader: 'reconnect',
  ServerNotReady: 'reconnect',
  Unavailable: 'reconnect',
  Cancelled: 'reconnect',
  DeadlineExceeded: 'reconnect',
  Unknown: 'reconnect',
} as const satisfies Record<string, Action>;

/** Name of an error in the protocol. */
export type Outcome = keyof typeof actions;

/** A failed call, as reported by the server or the client library. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';
  readonly outcome: Outcome;
  readonly action: Action;
  /** Address of the leader, when the server reported it. */
  readonly leader: Endpoint | null;

  constructor(outcome: Outcome, detail: string, leader: Endpoint | null = null) {
    super(
      detail === outcome ? `EventStoreDB: ${outcome}.` : `EventStoreDB: ${outcome} (${detail}).`,
    );
    this.outcome = outcome;
    this.action = actions[outcome];
    this.leader = leader;
  }
}

const exceptions: Readonly<Record<string, Outcome>> = {
  'not-leader': 'NotLeader',
  'access-denied': 'AccessDenied',
  'stream-deleted': 'StreamDeleted',
  'wrong-expected-version': 'WrongExpectedVersion',
  'maximum-append-size-exceeded': 'MaximumAppendSizeExceeded',
  'maximum-append-event-size-exceeded': 'MaximumAppendEventSizeExceeded',
  'user-conflict': 'UserExists',
  'invalid-transaction': 'InvalidTransaction',
  'missing-required-metadata-property': 'BadRequest',
};

const codes: Readonly<Partial<Record<status, Outcome>>> = {
  [status.ABORTED]: 'Timeout',
  [status.DEADLINE_EXCEEDED]: 'DeadlineExceeded',
  [status.UNAVAILABLE]: 'Unavailable',
  [status.CANCELLED]: 'Cancelled',
  [status.UNAUTHENTICATED]: 'Unauthenticated',
  [status.PERMISSION_DENIED]: 'AccessDenied',
  [status.INVALID_ARGUMENT]: 'BadRequest',
  [status.UNIMPLEMENTED]: 'BadRequest',
  // The message exceeds the limit of one side.
  [status.RESOURCE_EXHAUSTED]: 'MaximumAppendSizeExceeded',
};

const texts: Readonly<Record<string, Outcome>> = {
  'Server Is Not Ready': 'ServerNotReady',
  'Server Is Busy': 'ServerBusy',
  'Server Is Too Busy': 'ServerBusy',
  'Trying to read from an invalid position.': 'InvalidPosition',
};

/** Converts the failure of a gRPC call. */
export function callFailure(error: unknown): CallFailed {
  if (error instanceof CallFailed) return error;
  const { code, details, metadata, message } = error as {
    readonly code?: status;
    readonly details?: string;
    readonly metadata?: Metadata;
    readonly message?: string;
  };
  const outcome =
    exceptions[valueOf(metadata, 'exception')] ??
    texts[details ?? ''] ??
    (code === undefined ? undefined : codes[code]) ??
    'Unknown';
  const leader = outcome === 'NotLeader' ? leaderOf(metadata) : null;
  return new CallFailed(outcome, details ?? message ?? String(error), leader);
}

function leaderOf(metadata: Metadata | undefined): Endpoint | null {
  const address = valueOf(metadata, 'leader-endpoint-host');
  const port = Number(valueOf(metadata, 'leader-endpoint-port'));
  return address !== '' && port > 0 ? { address, port } : null;
}

/** Converts the failure of one append in a batch; `message` names it. */
export function appendFailure(message: string): CallFailed {
  const outcome = message in actions ? (message as Outcome) : (texts[message] ?? 'Unknown');
  return new CallFailed(outcome, message);
}

function valueOf(metadata: Metadata | undefined, key: string): string {
  return metadata?.get(key)[0]?.toString() ?? '';
}

/** Error for the operator of the server when it denies a call: the user it does not know, or the right it has not. */
export function missingRight(
  right: 'read' | 'write' | 'delete',
  what: string,
  cause: CallFailed,
): Error {
  return (
    unknownUser(cause) ??
    new Error(
      `EventStoreDB denies the user of the connection string the right ${right} on ${what}. See docs/eventstoredb.md, Rights.`,
      { cause },
    )
  );
}

/** Error for a user or a password that the server does not accept; null for any other failure. */
export function unknownUser(cause: CallFailed): Error | null {
  if (cause.outcome !== 'Unauthenticated') return null;
  return new Error(
    'EventStoreDB does not accept the user or the password of the connection string: correct it, or create the user (docs/eventstoredb.md, Rights).',
    { cause },
  );
}
