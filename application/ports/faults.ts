/** The stream has moved on: another command was appended first. `handleCommand` loads and decides again. */
export class RevisionConflict extends Error {
  override readonly name = 'RevisionConflict';
  readonly stream: string;

  constructor(stream: string) {
    super(`The stream ${stream} is not at the expected revision.`);
    this.stream = stream;
  }
}

/** Systems the platform depends on, by their names in `/readyz` and the metrics. */
export type Dependency =
  | 'clock'
  | 'eventStore'
  | 'database'
  | 'readModels'
  | 'redis'
  | 'keyVault'
  | 'issuingAuthority'
  | 'push'
  | 'civilRegistry'
  | 'organizationRegistry'
  | 'dan'
  | 'certificateStatus'
  | 'timestamping'
  | 'revocationLists'
  | 'embeddings'
  | 'speechToText'
  | 'textToSpeech'
  | 'fileStore'
  | 'archive'
  | 'backup'
  | 'temporaryFiles'
  | 'countryRevocations'
  | 'names'
  | 'directory'
  | 'languageModel'
  | 'fileScanner';

/** Outage of a dependency. On the wire: 503 with Retry-After. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable';
  readonly dependency: Dependency;

  constructor(dependency: Dependency, cause?: unknown) {
    super(`${dependency} is unavailable.`, cause === undefined ? undefined : { cause });
    this.dependency = dependency;
  }
}

/** Stored bytes that are not what their type and version promise. Names the place, never the content. */
export class UndecodableEvent extends Error {
  override readonly name = 'UndecodableEvent';
  /**
   * True when a newer release wrote it. What rests on it is not decided here then: on the wire 503, until a process of that
   * release answers.
   */
  readonly isOfNewerRelease: boolean;

  constructor(
    {
      id,
      type,
      position,
    }: { readonly id: string; readonly type: string; readonly position: bigint },
    cause: unknown,
    isOfNewerRelease = false,
  ) {
    const why = isOfNewerRelease
      ? 'was written by a newer release. Start that release to process it.'
      : 'cannot be decoded.';
    super(`Event ${id} (${type}) at position ${position.toString()} ${why}`, { cause });
    this.isOfNewerRelease = isOfNewerRelease;
  }
}

/** True where what a newer release wrote is among the causes: another process may do it, this one never. */
export function isOfNewerRelease(error: unknown): boolean {
  if (error instanceof UndecodableEvent && error.isOfNewerRelease) return true;
  if (error instanceof AggregateError && error.errors.some(isOfNewerRelease)) return true;
  return error instanceof Error && error.cause !== undefined && isOfNewerRelease(error.cause);
}

/** Reason why this process should get no requests, in words for `/readyz`, which everybody may read. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

/** The command is done and durable, but the read model it is answered from does not show it in time. On the wire: 202. */
export class NotYetShown extends Unavailable {
  constructor(cause?: unknown) {
    super('database', cause);
  }
}

/** Refusal to write what processes of the former release could not read, before all know it; nothing was done. */
export class NotYetWritten extends Unavailable {
  constructor(type: string, level: number) {
    super(
      'eventStore',
      new Error(
        `${type} in the form that this request needs can be written only from level ${level} of the installation: ` +
          'run ./tamga upgrade finish once every process has been upgraded (docs/upgrading.md).',
      ),
    );
  }
}

/** True for a lock of the database that was not to be had in time (SQLSTATE 55P03), as the error or as its cause. */
export function isLockRefused(error: unknown): boolean {
  const { code, cause } = Object(error) as { readonly code?: unknown; readonly cause?: unknown };
  const isOfItself = cause === undefined || cause === error;
  return code === LOCK_NOT_AVAILABLE || (!isOfItself && isLockRefused(cause));
}

const LOCK_NOT_AVAILABLE = '55P03';

/** The queue is full; nothing was done. On the wire: 503 with Retry-After. */
export class Overloaded extends Error {
  override readonly name = 'Overloaded';

  constructor(what: string) {
    super(`Too many are waiting: ${what}.`);
  }
}

/**
 * Fault of the configuration, which stays however often it is tried: a supervisor that starts the process again would
 * only use up a token's tries. The message says what to change.
 */
export class Misconfigured extends Error {
  override readonly name: string = 'Misconfigured';
}

/** Log and database do not belong together. The message gives the reason and the remedy; nothing was appended. */
export class WrongLog extends Misconfigured {
  override readonly name = 'WrongLog';
}

/** The log lacks events that this process read or appended: acknowledged events are lost. */
export class LogLostEvents extends Error {
  override readonly name = 'LogLostEvents';

  /** @param seen position of the newest event seen; @param head of the log now, 0 when empty */
  constructor(seen: bigint, head: bigint) {
    super(
      `The event log lost acknowledged events: it ends at position ${head}, and the event this process knew at ${seen} is gone. ` +
        'PostgreSQL was replaced by a standby or a backup that was behind (docs/operations.md, Failover).',
    );
  }
}

/**
 * Name of an error's class, its code if it has one, and the constraint that refused; its message may hold personal data.
 */
export function errorClass(cause: unknown): string {
  if (!(cause instanceof Error)) return 'Error';
  const { name, code, constraint } = cause as Error & Record<'code' | 'constraint', unknown>;
  return [name, code, constraint].filter((each) => typeof each === 'string').join(' ');
}
