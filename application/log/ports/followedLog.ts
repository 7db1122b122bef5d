import type { LogIdentity } from '../../../domain/logIdentity/logIdentity.ts';

/** Addresses of a move, without credentials. */
export interface LogMovement {
  readonly source: string;
  readonly destination: string;
}

/** Identity of the log that the database of the read models follows. */
export interface FollowedLog {
  /** @throws Unavailable */
  load(): Promise<{
    /** Null: not recorded yet. */
    readonly followed: LogIdentity | null;
    /** Highest checkpoint of the database; null: none. */
    readonly followedTo: bigint | null;
    /** True for a database never used by an installation. */
    readonly isDatabaseNew: boolean;
    /** Move to another log that was begun and not finished; null: none. */
    readonly move: LogMovement | null;
  }>;
  /** Records the log that the database follows from now on. @throws Unavailable */
  keep(identity: LogIdentity): Promise<void>;
  /** Runs work under a lock over all processes on this database. @throws Unavailable */
  withLock(work: () => Promise<void>): Promise<void>;
}
