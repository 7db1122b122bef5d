import type { FindSignedInUser, SignedInUser } from '../../application/platform/signedInUsers.ts';
import type { Actor } from '../../application/ports/eventStore.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { operatorToken } from '../admin/guard.ts';
import type { Guard } from '../http/route.ts';

/** Authenticated user of the assistant API. */
export type AssistantUser = Pick<SignedInUser, 'userId' | 'isAdmin' | 'operator'>;

export interface AssistantGuards {
  /**
   * Accepts an access token, or an operator's session token.
   *
   * @throws Refusal UNAUTHENTICATED, PASSWORD_CHANGE_REQUIRED
   */
  readonly signedIn: Guard<AssistantUser>;
}

const actorOf = ({ userId, operator }: AssistantUser): Actor =>
  operator === null ? { kind: 'unknown', id: userId } : { kind: 'operator', id: operator.id };

/** Guard of `/api/v1/ai`. */
export function createAssistantGuards(findUser: FindSignedInUser): AssistantGuards {
  return {
    signedIn: {
      description: 'signed in',
      security: ['accessToken', 'operatorSession'],
      check: async (context) => {
        const user = await findUser(operatorToken(context));
        if (user !== null) return user;
        throw new Refusal('UNAUTHENTICATED', {
          detail: 'Send Authorization: Bearer <access token>.',
        });
      },
      actorOf,
    },
  };
}
