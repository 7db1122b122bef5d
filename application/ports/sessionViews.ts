import type { EndResult, SessionFlow, SessionKind } from '../../domain/session/events.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';

/** A session in the read model; holds no personal text. */
export interface SessionView {
  readonly sessionId: string;
  readonly relyingPartyId: string;
  readonly kind: SessionKind;
  readonly flow: SessionFlow;
  readonly civilId: string | null;
  readonly documentNumber: string | null;
  readonly status: 'RUNNING' | 'COMPLETE';
  readonly endResult: EndResult | null;
  readonly refusedInteraction: string | null;
  readonly signature: string | null;
  readonly signatureAlgorithm: string | null;
  readonly certificateSerial: string | null;
  readonly certificateLevel: CertificateLevel | null;
  readonly interactionTypeUsed: string | null;
  readonly startedAt: string;
  readonly answerBefore: string;
  readonly readableUntil: string;
  readonly completedAt: string | null;
}

/** Queries over the session projection. */
export interface SessionViews {
  session(sessionId: string): Promise<SessionView | null>;
  /** The phone's inbox: ids of RUNNING push sessions of this citizen that may still be answered, oldest first. */
  runningSessionsOf(civilId: string, now: Date): Promise<readonly string[]>;
}

/** Query of the expiry sweep. */
export interface OverdueSessions {
  /**
   * RUNNING sessions whose `answerBefore` is at or before `now`, oldest first.
   *
   * @param after last one of the previous page
   */
  overdueSessions(
    now: Date,
    limit: number,
    after: OverdueSession | null,
  ): Promise<readonly OverdueSession[]>;
}

export interface OverdueSession {
  readonly sessionId: string;
  readonly answerBefore: string;
}
