import { Refusal } from '../../domain/shared/refusal.ts';
import {
  isTenantOfCitizen,
  type PlatformPermission,
  platformPermissions,
  type PlatformTokens,
} from '../ports/platformTokens.ts';
import type { FindSignedInUser } from './signedInUsers.ts';

/** Tenant of tokens without one. */
const defaultTenant = 'default';

/** Tenants that each external issuer may name in its tokens. */
export type IssuerTenants = (issuer: string) => ReadonlySet<string>;

/** Stands for every tenant but those of citizens. */
const anyTenant = '*';

/**
 * @param entries tenants by issuer; an issuer without an entry has the default tenant while it is the only one
 * @param issuers all external issuers
 */
export function createIssuerTenants(
  entries: ReadonlyMap<string, ReadonlySet<string>>,
  issuers: readonly string[],
): IssuerTenants {
  const unlisted = new Set(new Set(issuers).size === 1 ? [defaultTenant] : []);
  return (issuer) => entries.get(issuer) ?? unlisted;
}

/** Permissions of each role of token issuers and of operators. Other roles have none. */
export type PlatformRoles = ReadonlyMap<string, ReadonlySet<PlatformPermission>>;

/**
 * Callers of the platform API with an access token of contract §12 or an operator's session: administrators have all
 * permissions, others those of their role.
 */
export function createAccessTokenUsers(
  findUser: FindSignedInUser,
  roles: PlatformRoles,
  tenantsOf: IssuerTenants,
): PlatformTokens {
  const all: ReadonlySet<PlatformPermission> = new Set(platformPermissions);
  const none: ReadonlySet<PlatformPermission> = new Set();
  return {
    async read(token) {
      const user = await findUser(token);
      if (user === null) return null;
      const { userId, isAdmin, roleId, issuer, operator } = user;
      const tenantId = user.tenantId ?? defaultTenant;
      if (issuer !== null) expectNameable(tenantId, issuer, tenantsOf(issuer));
      const ofRole = (roleId === null ? undefined : roles.get(roleId)) ?? none;
      return {
        userId,
        tenantId,
        civilId: null,
        clientId: null,
        actsForSelf: false,
        operatorId: operator?.id ?? null,
        permissions: isAdmin ? all : ofRole,
      };
    },
  };
}

/** @throws Refusal PERMISSION_DENIED */
function expectNameable(tenantId: string, issuer: string, tenants: ReadonlySet<string>): void {
  const isAny = tenants.has(anyTenant) && !isTenantOfCitizen(tenantId);
  if (isAny || tenants.has(tenantId)) return;
  throw new Refusal('PERMISSION_DENIED', {
    detail:
      `Tokens of ${issuer} may not name the tenant ${tenantId}: ` +
      'ask the operator of this service to list it in SVC_AI_TOKEN_TENANTS.',
  });
}
