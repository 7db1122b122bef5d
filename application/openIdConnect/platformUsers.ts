import { platformScopesFor } from '../../domain/oidcClient/platformScopes.ts';
import type { OidcEngine } from './ports/oidcEngine.ts';
import {
  platformPermissions,
  type PlatformTokens,
  tenantOfCitizen,
} from '../ports/platformTokens.ts';
import { readAccountId } from './accounts.ts';
import type { ClientOf } from './servedClients.ts';

/**
 * Access tokens of the OpenID Connect provider for the platform API: scopes are permissions of the same names. The
 * tenant is the represented organization, when the client asked for it, otherwise the citizen's own: the client's
 * organization gives its users nothing.
 */
export function createOidcPlatformUsers({
  engine,
  clientOf,
}: {
  readonly engine: Pick<OidcEngine, 'accessToken'>;
  readonly clientOf: ClientOf;
}): PlatformTokens {
  return {
    async read(token) {
      const access = await engine.accessToken(token);
      if (access === null) return null;
      const account = readAccountId(access.accountId);
      const { civilId } = account;
      // Another client may have requested the login for an organization.
      const register = access.scopes.includes('organization') ? account.register : null;
      const client = await clientOf(access.clientId);
      const ofClient = client?.settings.organization ?? null;
      const granted: readonly string[] = platformScopesFor(access.scopes, { register, ofClient });
      return {
        userId: civilId,
        tenantId: register ?? tenantOfCitizen(civilId),
        permissions: new Set(platformPermissions.filter((name) => granted.includes(name))),
        civilId,
        clientId: access.clientId,
        operatorId: null,
        actsForSelf: register === null,
      };
    },
  };
}
