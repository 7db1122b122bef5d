import type { OperatorRecord } from '../../domain/operator/operators.ts';
import type { OperatorDirectory } from './operators.ts';
import type { EndedSessions } from './ports/endedSessions.ts';
import type { OperatorTokens, TokenClaims } from './sessionTokens.ts';

/** An active session. */
export interface OperatorSession {
  readonly sessionId: string;
  readonly expiresAt: Date;
  /** Current record: a changed or revoked role applies at once. */
  readonly operator: OperatorRecord;
}

/** Finds the session of a token; null when it is over, forged, or not a session token. */
export type FindOperatorSession = (token: string) => Promise<OperatorSession | null>;

/** Knowledge of who is an operator, and of sessions that were signed out. */
export interface OperatorSessions {
  readonly directory: Pick<OperatorDirectory, 'current'>;
  readonly ended: Pick<EndedSessions, 'isEnded'>;
}

/** @param tokens null: operators cannot log in */
export function createFindOperatorSession(
  tokens: OperatorTokens | null,
  sessions: OperatorSessions,
): FindOperatorSession {
  return async (token) => {
    const claims = tokens?.read(token, 'session') ?? null;
    if (claims === null) return null;
    const operator = await operatorOf(sessions, claims);
    const { sessionId, expiresAt } = claims;
    return operator === undefined ? null : { sessionId, expiresAt, operator };
  };
}

/**
 * Operator of a token that was not invalidated: the one question for tokens of all kinds that name an operator's session.
 *
 * @throws Unavailable
 */
export async function operatorOf(
  { directory, ended }: OperatorSessions,
  { operatorId, epoch, sessionId }: Pick<TokenClaims, 'operatorId' | 'epoch' | 'sessionId'>,
): Promise<OperatorRecord | undefined> {
  const operator = (await directory.current()).get(operatorId);
  if (operator?.active !== true) return undefined;
  const isOfEpoch = operator.epoch === epoch || operator.keptSession === sessionId;
  return isOfEpoch && !(await ended.isEnded(sessionId)) ? operator : undefined;
}
