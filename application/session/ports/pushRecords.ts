import type { EndResult } from '../../../domain/session/events.ts';

/** Limit that refused a push, a label of the metric `pushes_refused_total`. */
export type PushLimit =
  | 'CITIZEN'
  | 'RELYING_PARTY'
  | 'RUNNING'
  | 'RUNNING_OF_RELYING_PARTY'
  | 'BACK_OFF'
  | 'WRONG_CODES'
  | 'NOT_ME';

/** A citizen's pushes, for the limits on them. */
export interface PushesToCitizen {
  /** Unanswered ones of all relying parties. */
  readonly running: readonly RunningPush[];
  /** Endings of those of one relying party, newest first. */
  readonly endings: readonly PushEnding[];
}

export interface RunningPush {
  readonly sessionId: string;
  readonly relyingPartyId: string;
}

export interface PushEnding {
  readonly sessionId: string;
  readonly endResult: EndResult;
  readonly completedAt: string;
}

/** Query of the limits on pushes. */
export interface PushRecords {
  /** @param since endings before it are left out */
  pushesTo(
    push: { readonly civilId: string; readonly relyingPartyId: string },
    now: Date,
    since: Date,
  ): Promise<PushesToCitizen>;
}

/** Pushes as the log has them, asked before one is refused because of those that run. */
export interface LoggedPushes {
  /** @returns null: it runs, or is not stored yet. @throws Unavailable */
  endResultOf(sessionId: string): Promise<EndResult | null>;
  /** True when the citizen chose the code among others, so that a wrong one may be a slip. */
  offeredChoice(sessionId: string): Promise<boolean>;
  /** Cause that delays answers on their way to the log, and a while afterwards; null: they are stored at once. */
  disturbance(): LogDisturbance | null;
}

/** A log that answers late, or not at all: no leader, no connection. */
export type LogDisturbance = 'SLOW' | 'AWAY';
