import {
  type PlatformPermission,
  platformPermissions,
  type PlatformTokens,
} from '../ports/platformTokens.ts';
import type { FindSignedInUser } from './signedInUsers.ts';

/** The tenant of tokens that name none. */
export const defaultTenant = 'default';

/** What each role of the tokens' issuers, and of operators, may do. Roles that are not named may do nothing. */
export type PlatformRoles = ReadonlyMap<string, ReadonlySet<PlatformPermission>>;

/**
 * Callers of the platform API with an access token of contract §12 or an operator's session: administrators may do
 * everything, the others what their role may.
 */
export function createAccessTokenUsers(
  findUser: FindSignedInUser,
  roles: PlatformRoles,
): PlatformTokens {
  const all: ReadonlySet<PlatformPermission> = new Set(platformPermissions);
  const none: ReadonlySet<PlatformPermission> = new Set();
  return {
    async read(token) {
      const user = await findUser(token);
      if (user === null) return null;
      const { userId, isAdmin, roleId, tenantId, operator } = user;
      const ofRole = (roleId === null ? undefined : roles.get(roleId)) ?? none;
      return {
        ...{ userId, tenantId: tenantId ?? defaultTenant, civilId: null },
        ...{ operatorId: operator?.id ?? null, permissions: isAdmin ? all : ofRole },
      };
    },
  };
}
