import type { OidcEngine } from '../ports/oidcEngine.ts';
import { platformPermissions, type PlatformTokens } from '../ports/platformTokens.ts';
import { readAccountId } from './accounts.ts';
import type { OidcClients } from './aggregates.ts';

/** Whose records somebody sees who acts for no organization, through a client of none. */
const COMMON_TENANT = 'default';

/**
 * Access tokens of the OpenID Connect provider, as the platform API takes them: their scopes are permissions of the same
 * names. The tenant is the organization the citizen acts for, when the client asked for
 * it, else the client's.
 */
export function createOidcPlatformUsers({
  engine,
  clients,
}: {
  readonly engine: Pick<OidcEngine, 'accessToken'>;
  readonly clients: Pick<OidcClients, 'load'>;
}): PlatformTokens {
  return {
    async read(token) {
      const access = await engine.accessToken(token);
      if (access === null) return null;
      const { civilId, register } = readAccountId(access.accountId);
      const { state } = await clients.load(access.clientId);
      const ofClient = state.status === 'NONE' ? null : state.settings.organization;
      const granted: readonly string[] = access.scopes;
      // The login may have been for an organization at another client's wish.
      const isForIt = access.scopes.includes('organization');
      return {
        userId: civilId,
        tenantId: (isForIt ? register : null) ?? ofClient ?? COMMON_TENANT,
        permissions: new Set(platformPermissions.filter((name) => granted.includes(name))),
        ...{ civilId, operatorId: null },
      };
    },
  };
}
