import { createHmac, type KeyObject } from 'node:crypto';
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '../../application/ports/clock.ts';
import type { OidcHost } from '../../application/ports/oidcHost.ts';
import type { OidcPages } from '../../application/ports/oidcPages.ts';
import type { OidcState } from '../../application/ports/oidcState.ts';
import { openIdScopeNames, openIdScopes } from '../../domain/shared/openIdScopes.ts';
import { extraClientProperties } from './clientMetadata.ts';
import { createInteractionPolicy, type PolicyOptions } from './interactionPolicy.ts';
import { libraryPages } from './pages.ts';
import { wordsOf } from './parameters.ts';
import { signingAlgorithm, type VaultSigningKey } from './signingKey.ts';
import { createStateAdapter } from './stateAdapter.ts';

/** Seconds what the provider issues is good for. */
export interface OidcLifetimes {
  readonly session: number;
  readonly interaction: number;
  readonly accessToken: number;
  readonly idToken: number;
  /** Of a refresh token that is not used. */
  readonly refreshToken: number;
  /** However often its refresh token is used. */
  readonly grant: number;
}

export interface OidcProviderOptions {
  readonly host: OidcHost;
  readonly state: OidcState;
  readonly clock: Clock;
  readonly pages: OidcPages;
  /** Parts of an account's id. */
  readonly civilIdOf: (accountId: string) => string;
  readonly registerOf: (accountId: string) => string | null;
  readonly keys: { readonly cookies: KeyObject; readonly pairwiseSubjects: KeyObject };
  readonly lifetimes: OidcLifetimes;
  /** Where a browser goes for a login or a consent: a path, made from the interaction's uid. */
  readonly interactionPath: (uid: string) => string;
  /** Whether clients inside a private network may be told of a logout. */
  readonly reachesPrivateNetworks: boolean;
}

/** Seconds an authorization code is good for. */
const CODE_LIFE = 60;

/** Where the provider's endpoints are. */
export const endpointRoot = '/oidc';

const routes = {
  authorization: `${endpointRoot}/authorize`,
  token: `${endpointRoot}/token`,
  userinfo: `${endpointRoot}/userinfo`,
  jwks: `${endpointRoot}/jwks`,
  introspection: `${endpointRoot}/introspect`,
  revocation: `${endpointRoot}/revoke`,
  end_session: `${endpointRoot}/logout`,
  pushed_authorization_request: `${endpointRoot}/par`,
};

/** The library's configuration, whole. What is not said here is its default (OpenID Connect Core, OAuth 2.1). */
export function oidcConfiguration(
  options: OidcProviderOptions,
  signingKeys: readonly VaultSigningKey[],
): Configuration {
  const { host, lifetimes, keys } = options;
  const pages = libraryPages(options.pages);
  const subjectOf: PolicyOptions['subjectOf'] = (client, accountId) =>
    pairwiseSubject(keys.pairwiseSubjects, client['sector'], options.civilIdOf(accountId));
  return {
    adapter: createStateAdapter(options),
    jwks: { keys: signingKeys },
    routes,
    cookies: {
      keys: [keys.cookies.export().toString('base64url')],
      names: { session: 'tamga_login', interaction: 'tamga_asked', resume: 'tamga_resume' },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    scopes: openIdScopeNames,
    claims: Object.fromEntries(
      openIdScopeNames.map((name) => [name, [...openIdScopes[name].claims]]),
    ),
    // Claims of scopes are in the ID token too, not at the UserInfo endpoint alone.
    conformIdTokenClaims: false,
    acrValues: [...host.contextClasses],
    subjectTypes: ['pairwise'],
    sectorIdentifierUriValidate: () => false,
    pairwiseIdentifier: (_ctx, accountId, client) => Promise.resolve(subjectOf(client, accountId)),
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'],
    enabledJWA: {
      idTokenSigningAlgValues: [signingAlgorithm],
      userinfoSigningAlgValues: [signingAlgorithm],
      introspectionSigningAlgValues: [signingAlgorithm],
      authorizationSigningAlgValues: [signingAlgorithm],
      clientAuthSigningAlgValues: ['ES256', 'ES384', 'PS256', 'RS256'],
      requestObjectSigningAlgValues: ['ES256', 'PS256'],
    },
    clientDefaults: {
      id_token_signed_response_alg: signingAlgorithm,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    extraClientMetadata: { properties: [...extraClientProperties] },
    extraParams: ['on_behalf_of'],
    pkce: { required: () => true },
    features: {
      devInteractions: { enabled: false },
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      backchannelLogout: { enabled: true },
      // Consent is given to scopes; a claim asked for by itself would be a second way around them.
      claimsParameter: { enabled: false },
      introspection: {
        enabled: true,
        allowedPolicy: async (ctx, client, token) =>
          isOwnToken(ctx, client, token) && (await isUsable(host, token)),
      },
      revocation: { enabled: true, allowedPolicy: isOwnToken },
      pushedAuthorizationRequests: { enabled: true },
      resourceIndicators: { enabled: false },
      dPoP: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: pages.logout,
        postLogoutSuccessSource: pages.loggedOut,
      },
    },
    interactions: {
      policy: createInteractionPolicy(host, { registerOf: options.registerOf, subjectOf }),
      url: (_ctx, { uid }) => options.interactionPath(uid),
    },
    async findAccount(_ctx, accountId, token) {
      const account = await host.account(accountId);
      if (account === null) return undefined;
      const { extra } = (token ?? {}) as { readonly extra?: object };
      // At the UserInfo endpoint the login's class is known from the access token alone.
      const claims = async (_use: string, scope: string) => ({
        ...{ sub: accountId, ...extra, ...account.claims },
        ...(wordsOf(scope).includes('email') && emailClaims(await host.email(accountId))),
      });
      return { accountId, claims };
    },
    loadExistingGrant: (ctx) => existingGrant(ctx, host, lifetimes.accessToken + CODE_LIFE),
    extraTokenClaims: (ctx) => loginOf(ctx),
    rotateRefreshToken: true,
    ttl: {
      Session: lifetimes.session,
      Interaction: lifetimes.interaction,
      AccessToken: lifetimes.accessToken,
      IdToken: lifetimes.idToken,
      AuthorizationCode: CODE_LIFE,
      RefreshToken: lifetimes.refreshToken,
      Grant: (_ctx, grant) => grantLife(lifetimes, grant.getOIDCScope()),
    },
    clientBasedCORS: (_ctx, origin, client) =>
      (client.redirectUris ?? []).some((uri) => new URL(uri).origin === origin),
    renderError: pages.error,
    ...(options.reachesPrivateNetworks && { fetch: unguardedFetch }),
  };
}

/** The library keeps its requests out of private networks by a dispatcher of its own. */
function unguardedFetch(url: string | URL | Request, options?: RequestInit): Promise<Response> {
  const plain: Record<string, unknown> = { ...options };
  delete plain['dispatcher'];
  return fetch(url, plain);
}

/** OpenID Connect Core §8.1: nobody can tell from two sectors' names for a citizen that they are one person. */
function pairwiseSubject(key: KeyObject, sector: unknown, person: string): string {
  return createHmac('sha256', key)
    .update(`${String(sector)}\0${person}`)
    .digest('base64url');
}

/** OpenID Connect Core §5.1: registers say where somebody is reached, not that somebody was. */
function emailClaims(email: string | null) {
  return email === null ? {} : { email, email_verified: false };
}

/** A grant with refresh tokens outlives them; any other lives as long as what can come of it. */
function grantLife({ grant, session, accessToken }: OidcLifetimes, scope: string): number {
  return scope.split(' ').includes('offline_access') ? grant : session + accessToken + CODE_LIFE;
}

/** Whether whom a token is about may be spoken for now (RFC 7662 §4): the library looks at the token alone. */
async function isUsable(host: Pick<OidcHost, 'account'>, token: object): Promise<boolean> {
  const { accountId } = token as { readonly accountId?: string };
  return accountId !== undefined && (await host.account(accountId)) !== null;
}

/** A client learns of its own tokens alone (RFC 7662 §4). */
function isOwnToken(
  _ctx: KoaContextWithOIDC,
  client: { readonly clientId: string },
  token: { readonly clientId?: string | undefined },
): boolean {
  return token.clientId === client.clientId;
}

/** The grant of this login, or one made from what the citizen agreed to before, wherever that was. */
async function existingGrant({ oidc }: KoaContextWithOIDC, host: OidcHost, needed: number) {
  const { client, session, provider } = oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  const { accountId } = session;
  const { clientId } = client;
  const grantId = oidc.result?.consent?.grantId ?? session.grantIdFor(clientId);
  const found = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  if (found?.accountId === accountId && lasts(found, needed)) return found;
  const scopes = await host.consentedScopes(accountId, clientId);
  if (scopes.length === 0) return undefined;
  const grant = new provider.Grant({ accountId, clientId });
  grant.addOIDCScope(scopes.join(' '));
  await grant.save();
  return grant;
}

/** Whether what is issued now will not outlive it. */
function lasts({ exp = 0 }: { readonly exp?: number | undefined }, seconds: number): boolean {
  return exp - Date.now() / 1000 > seconds;
}

/** How the citizen logged in, for the access token that comes of it. */
function loginOf({ oidc }: KoaContextWithOIDC) {
  const { AuthorizationCode: code, RefreshToken: refresh } = oidc.entities;
  const { acr, amr, authTime } = code ?? refresh ?? {};
  return { acr, amr, auth_time: authTime };
}
