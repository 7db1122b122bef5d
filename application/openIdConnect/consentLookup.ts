import { consentId } from '../../domain/consent/consent.ts';
import { isRedirectUri, type OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import { type OpenIdScopeName, readScopes } from '../../domain/shared/openIdScopes.ts';
import type { Consents } from './aggregates.ts';
import type { FindClient } from './servedClients.ts';

/** A client's authorization request. */
export interface ConsentQuestion {
  readonly clientId: string;
  readonly redirectUri: string;
  /** Space-separated. */
  readonly scope: string;
}

/** Content of a consent screen. */
export interface ConsentScreen {
  readonly clientId: string;
  readonly client: OidcClientSettings;
  readonly scopes: readonly OpenIdScopeName[];
  /** Requested scopes that the person has granted and not withdrawn. */
  readonly alreadyGranted: readonly OpenIdScopeName[];
}

/** OAuth error instead of a consent screen (RFC 6749 §4.1.2.1). */
export type ConsentFault =
  | { readonly error: 'invalid_client'; readonly description: string }
  | { readonly error: 'invalid_request'; readonly description: string }
  | { readonly error: 'invalid_scope'; readonly description: string };

/**
 * Scopes a person would be asked for. The client may belong to another organization than the person.
 *
 * @param civilId of the person; null: without previous grants
 */
export type LookUpConsent = (
  question: ConsentQuestion,
  civilId: string | null,
) => Promise<ConsentScreen | ConsentFault>;

export function createConsentLookup({
  findClient,
  consents,
}: {
  readonly findClient: FindClient;
  readonly consents: Pick<Consents, 'load'>;
}): LookUpConsent {
  return async ({ clientId, redirectUri, scope }, civilId) => {
    const client = await findClient(clientId);
    if (client === null) {
      return { error: 'invalid_client', description: 'There is no such client.' };
    }
    const { settings } = client;
    if (!isRedirectUri(settings, redirectUri)) {
      const description = 'The redirect_uri is not registered for this client.';
      return { error: 'invalid_request', description };
    }
    const scopes = readScopes(scope);
    const words = scope.split(' ').filter((word) => word !== '');
    if (scopes.length !== new Set(words).size || !scopes.includes('openid')) {
      return { error: 'invalid_scope', description: 'Ask for openid and known scopes.' };
    }
    if (scopes.some((each) => each !== 'openid' && !settings.scopes.includes(each))) {
      return { error: 'invalid_scope', description: 'The client may not ask for this scope.' };
    }
    const granted = civilId === null ? [] : await grantedBy(civilId, clientId);
    const alreadyGranted = scopes.filter((each) => granted.includes(each));
    return { clientId, client: settings, scopes, alreadyGranted };
  };

  async function grantedBy(civilId: string, clientId: string) {
    return (await consents.load(consentId(civilId, clientId))).state.scopes;
  }
}
