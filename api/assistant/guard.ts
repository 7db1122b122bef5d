import type { FindOperatorSession } from '../../application/operator/sessions.ts';
import type { AccessClaims, AccessTokens } from '../../application/ports/accessTokens.ts';
import type { AssistantCaller } from '../../application/ports/assistant.ts';
import type { Actor } from '../../application/ports/eventStore.ts';
import type { OperatorRole } from '../../domain/operator/capabilities.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { operatorToken } from '../admin/guard.ts';
import type { Guard } from '../http/route.ts';

/** Who is signed in to the assistant API. */
export interface AssistantUser extends Pick<AssistantCaller, 'operator'> {
  readonly userId: string;
  /** Whether the issuer of the token says so; operators are asked for their capabilities instead. */
  readonly isAdmin: boolean;
}

export interface AssistantGuards {
  /** An access token, or an operator's session token. @throws Refusal UNAUTHENTICATED, PASSWORD_CHANGE_REQUIRED */
  readonly signedIn: Guard<AssistantUser>;
}

export interface AssistantGuardOptions {
  readonly tokens: AccessTokens;
  readonly findSession: FindOperatorSession;
  /** The role, as it is now, of whom a token of ours was issued to; null: nobody (any more). */
  readonly currentRole: (claims: AccessClaims) => Promise<OperatorRole | null>;
}

const security = ['accessToken', 'operatorSession'] as const;

const actorOf = ({ userId, operator }: AssistantUser): Actor =>
  operator === null ? { kind: 'unknown', id: userId } : { kind: 'operator', id: operator.id };

/** Who may call `/api/v1/ai`. */
export function createAssistantGuards(options: AssistantGuardOptions): AssistantGuards {
  const { tokens, findSession, currentRole } = options;

  async function userOf(token: string): Promise<AssistantUser> {
    const claims = await tokens.read(token);
    if (claims === null) return operatorOf(token);
    const { userId, isAdmin, isOwn } = claims;
    if (!isOwn) return { userId, isAdmin, operator: null };
    const role = await currentRole(claims);
    if (role === null) throw unauthenticated();
    return { userId, isAdmin: role === 'SUPER_ADMIN', operator: { id: userId, role } };
  }

  async function operatorOf(token: string): Promise<AssistantUser> {
    const session = await findSession(token);
    if (session === null) throw unauthenticated();
    const { operatorId: id, role, mustChangePassword } = session.operator;
    if (mustChangePassword) throw new Refusal('PASSWORD_CHANGE_REQUIRED');
    return { userId: id, isAdmin: role === 'SUPER_ADMIN', operator: { id, role } };
  }

  return {
    signedIn: {
      description: 'signed in',
      security,
      check: (context) => userOf(operatorToken(context)),
      actorOf,
    },
  };
}

function unauthenticated(): Refusal {
  return new Refusal('UNAUTHENTICATED', { detail: 'Send Authorization: Bearer <access token>.' });
}
