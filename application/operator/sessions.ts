import type { OperatorRecord } from '../../domain/operator/operators.ts';
import type { OperatorDirectory } from './operators.ts';
import type { OperatorTokens, TokenClaims } from './sessionTokens.ts';

/** A session that is going on. */
export interface OperatorSession {
  readonly sessionId: string;
  readonly expiresAt: Date;
  /** As they are now: a role changed or taken away since the sign-in counts at once. */
  readonly operator: OperatorRecord;
}

/** Finds the session of a token; null when it is over, was forged, or is no session. */
export type FindOperatorSession = (token: string) => Promise<OperatorSession | null>;

/** @param tokens null: nobody can have a session */
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

/** The operator a token is of, unless it ended before its time. */
export async function operatorOf(
  directory: Pick<OperatorDirectory, 'current'>,
  { operatorId, epoch, sessionId }: Pick<TokenClaims, 'operatorId' | 'epoch' | 'sessionId'>,
): Promise<OperatorRecord | undefined> {
  const operator = (await directory.current()).get(operatorId);
  if (operator?.active !== true) return undefined;
  return operator.epoch === epoch || operator.keptSession === sessionId ? operator : undefined;
}
