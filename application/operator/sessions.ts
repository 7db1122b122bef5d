import type { OperatorRecord } from '../../domain/operator/operators.ts';
import type { OperatorDirectory } from './operators.ts';
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

/** @param tokens null: operators cannot log in */
export function createFindOperatorSession(
  tokens: OperatorTokens | null,
  directory: Pick<OperatorDirectory, 'current'>,
): FindOperatorSession {
  return async (token) => {
    const claims = tokens?.read(token, 'session') ?? null;
    if (claims === null) return null;
    const operator = await operatorOf(directory, claims);
    const { sessionId, expiresAt } = claims;
    return operator === undefined ? null : { sessionId, expiresAt, operator };
  };
}

/** Operator of a token that was not invalidated. */
export async function operatorOf(
  directory: Pick<OperatorDirectory, 'current'>,
  { operatorId, epoch, sessionId }: Pick<TokenClaims, 'operatorId' | 'epoch' | 'sessionId'>,
): Promise<OperatorRecord | undefined> {
  const operator = (await directory.current()).get(operatorId);
  if (operator?.active !== true) return undefined;
  return operator.epoch === epoch || operator.keptSession === sessionId ? operator : undefined;
}
