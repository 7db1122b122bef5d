import type { Actor } from '../../application/ports/eventStore.ts';
import type {
  PlatformPermission,
  PlatformTokens,
  PlatformUser,
} from '../../application/ports/platformTokens.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { operatorToken } from '../admin/guard.ts';
import type { Guard } from '../http/route.ts';

export interface PlatformGuards {
  /**
   * Admits users with the permission. @throws Refusal UNAUTHENTICATED, PASSWORD_CHANGE_REQUIRED,
   * PERMISSION_DENIED
   */
  permitted(permission: PlatformPermission): Guard<PlatformUser>;
  /** Admits the bearer of any access token. @throws Refusal UNAUTHENTICATED */
  readonly anyUser: Guard<PlatformUser>;
}

/** Actor of a platform user, for log and event metadata. */
export const platformActor = ({ userId, operatorId }: PlatformUser): Actor =>
  operatorId === null ? { kind: 'unknown', id: userId } : { kind: 'operator', id: operatorId };

/**
 * Guards of the platform API. @param readers token readers, tried in turn until one knows the token
 */
export function createPlatformGuards(readers: readonly PlatformTokens[]): PlatformGuards {
  async function userOf(token: string): Promise<PlatformUser> {
    for (const reader of readers) {
      const user = await reader.read(token);
      if (user !== null) return user;
    }
    throw new Refusal('UNAUTHENTICATED', { detail: 'Send Authorization: Bearer <access token>.' });
  }

  return {
    anyUser: {
      description: 'signed in to the platform',
      security: ['accessToken', 'operatorSession'],
      check: (context) => userOf(operatorToken(context)),
      actorOf: platformActor,
    },
    permitted: (permission) => ({
      description: `signed in with ${permission}`,
      security: ['accessToken', 'operatorSession'],
      check: async (context) => {
        const user = await userOf(operatorToken(context));
        context.identified?.(platformActor(user));
        if (user.permissions.has(permission)) return user;
        throw new Refusal('PERMISSION_DENIED', {
          detail: `The permission ${permission} is needed for this operation.`,
        });
      },
      actorOf: platformActor,
    }),
  };
}
