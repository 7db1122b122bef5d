import { createHmac, type KeyObject } from 'node:crypto';
import type { Account, Client, Configuration, KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '../../application/ports/clock.ts';
import type { OidcHost } from '../../application/openIdConnect/ports/oidcHost.ts';
import type { ClientLimit } from '../../api/openIdConnect/ports/clientLimit.ts';
import type { OidcPages } from '../../api/openIdConnect/ports/oidcPages.ts';
import type { OidcState } from '../../application/openIdConnect/ports/oidcState.ts';
import {
  clientAuthMethods,
  defaultIdTokenAlgorithm,
  idTokenAlgorithms,
} from '../../domain/oidcClient/settings.ts';
import { openIdScopeNames, openIdScopes } from '../../domain/shared/openIdScopes.ts';
import { checkAskedClass } from './claimsParameter.ts';
import { backchannelFeature, backchannelLife } from './backchannel.ts';
import type { Backchannel } from '../../application/openIdConnect/ports/backchannel.ts';
import { mtlsAliases, mutualTls } from './clientCertificates.ts';
import { extraClientProperties } from './clientMetadata.ts';
import { discard } from '../boundedBody.ts';
import { DEVICE_CODE_LIFE, deviceFlow } from './deviceFlow.ts';
import { createInteractionPolicy, type PolicyOptions } from './interactionPolicy.ts';
import { libraryPages } from './pages.ts';
import { textOf, wordsOf } from './parameters.ts';
import { devicePath, endpointRoot } from './paths.ts';
import { richAuthorization } from './richAuthorization.ts';
import {
  enterScopes,
  expectApiScope,
  isTokenOfApi,
  namedFor,
  resourceIndicators,
  subjectOfApi,
} from './resourceServers.ts';
import {
  expectProfileAssertion,
  profileFeatures,
  rotatesRefreshTokens,
} from './securityProfile.ts';
import { keepPace } from './pollPace.ts';
import type { RequestState } from './requestState.ts';
import { extraOfExchange, isOriginGranted } from './tokenExchange.ts';
import type { VaultSigningKey } from './signingKey.ts';
import { createStateAdapter } from './stateAdapter.ts';

/** Lifetimes of issued artefacts, seconds. */
export interface OidcLifetimes {
  readonly session: number;
  readonly interaction: number;
  readonly accessToken: number;
  readonly idToken: number;
  /** Of an unused refresh token. */
  readonly refreshToken: number;
  /** Of a grant, however often its refresh token is used. */
  readonly grant: number;
}

export interface OidcProviderOptions {
  readonly host: OidcHost;
  readonly state: OidcState;
  readonly backchannel: Backchannel;
  readonly clock: Clock;
  readonly pages: OidcPages;
  /** Extracts the civil id of an account id. */
  readonly civilIdOf: (accountId: string) => string;
  readonly registerOf: (accountId: string) => string | null;
  readonly keys: {
    readonly cookies: KeyObject;
    readonly pairwiseSubjects: KeyObject;
    readonly dpopNonces: KeyObject;
  };
  readonly lifetimes: OidcLifetimes;
  readonly clientLimit: ClientLimit;
  /** Counts a user code typed at this address. @throws Refusal RATE_LIMITED */
  readonly admitUserCode: (ip: string) => Promise<void>;
  /** Path of the login or consent page for an interaction's uid. */
  readonly interactionPath: (uid: string) => string;
  /** Allows requests to clients (logout tokens, pings) into private networks. */
  readonly reachesPrivateNetworks: boolean;
  /** Origin at which clients present their certificates; undefined: the issuer. */
  readonly mtlsBase?: string | undefined;
}

/** Tolerance for the clocks of clients: their assertions, request objects and DPoP proofs, seconds. */
const CLOCK_TOLERANCE = 60;

/** Lifetime of an authorization code, seconds. */
const CODE_LIFE = 60;

/** Begins an account id that is a subject already: jobs hold no civil id. */
export const knownSubject = 'subject:';

const routes = {
  authorization: `${endpointRoot}/authorize`,
  token: `${endpointRoot}/token`,
  userinfo: `${endpointRoot}/userinfo`,
  jwks: `${endpointRoot}/jwks`,
  introspection: `${endpointRoot}/introspect`,
  revocation: `${endpointRoot}/revoke`,
  end_session: `${endpointRoot}/logout`,
  pushed_authorization_request: `${endpointRoot}/par`,
  backchannel_authentication: `${endpointRoot}/backchannel`,
  device_authorization: `${endpointRoot}/device_authorization`,
  code_verification: devicePath,
};

/** Name of the cookie that keeps a citizen logged in. */
function loginCookie(issuer: string): string {
  return issuer.startsWith('https:') ? '__Host-tamga_login' : 'tamga_login';
}

/** The library's configuration. Options not set here have their defaults (OpenID Connect Core, OAuth 2.1). */
export function oidcConfiguration(
  options: OidcProviderOptions & { readonly requestState: RequestState },
  signingKeys: readonly VaultSigningKey[],
  issuer: string,
): Configuration {
  const { host, lifetimes, keys } = options;
  const pages = libraryPages(options.pages);
  const subjectOf: PolicyOptions['subjectOf'] = (client, accountId) =>
    pairwiseSubject(keys.pairwiseSubjects, client['sector'], options.civilIdOf(accountId));
  const offers = (wanted: string) => signingKeys.some(({ alg }) => alg === wanted);
  return {
    adapter: createStateAdapter({
      ...options,
      state: options.requestState,
      offers,
      keepPace: (deviceCode) => keepPace(options, deviceCode),
    }),
    jwks: { keys: signingKeys },
    routes,
    discovery: mtlsAliases(options.mtlsBase, routes),
    cookies: {
      keys: [keys.cookies.export().toString('base64url')],
      // Over TLS a name that no sibling host can set; the others are bound to a path, which forbids it.
      names: { session: loginCookie(issuer), interaction: 'tamga_asked', resume: 'tamga_resume' },
      long: { httpOnly: true, sameSite: 'lax', signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    scopes: openIdScopeNames,
    claims: Object.fromEntries(
      openIdScopeNames.map((name) => [name, [...openIdScopes[name].claims]]),
    ),
    // Claims of scopes are in the ID token too, unless a client wants them at the UserInfo endpoint alone.
    conformIdTokenClaims: false,
    acrValues: [...host.contextClasses],
    subjectTypes: ['pairwise'],
    sectorIdentifierUriValidate: () => false,
    pairwiseIdentifier: (ctx, accountId, client) =>
      Promise.resolve(
        accountId.startsWith(knownSubject)
          ? accountId.slice(knownSubject.length)
          : subjectOf(namedFor(ctx, client), accountId),
      ),
    responseTypes: ['code'],
    clientAuthMethods: [...clientAuthMethods],
    enabledJWA: {
      idTokenSigningAlgValues: [...idTokenAlgorithms],
      userinfoSigningAlgValues: [...idTokenAlgorithms],
      introspectionSigningAlgValues: [...idTokenAlgorithms],
      authorizationSigningAlgValues: [...idTokenAlgorithms],
      clientAuthSigningAlgValues: ['ES256', 'ES384', 'PS256', 'RS256', 'EdDSA', 'Ed25519'],
      requestObjectSigningAlgValues: ['ES256', 'PS256', 'EdDSA', 'Ed25519'],
    },
    clientDefaults: {
      id_token_signed_response_alg: defaultIdTokenAlgorithm,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    clockTolerance: CLOCK_TOLERANCE,
    extraClientMetadata: { properties: [...extraClientProperties] },
    extraParams: ['on_behalf_of'],
    pkce: { required: needsPkce },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
      backchannelLogout: { enabled: true },
      claimsParameter: { enabled: true, assertClaimsParameter: checkAskedClass },
      ciba: backchannelFeature(options.backchannel),
      introspection: {
        enabled: true,
        allowedPolicy: async (ctx, client, token) =>
          (isOwnToken(ctx, client, token) || (await isTokenOfApi(host, client, token))) &&
          (await isOriginGranted(ctx.oidc.provider, token)) &&
          (await isUsable(host, token)),
      },
      revocation: { enabled: true, allowedPolicy: isOwnToken },
      pushedAuthorizationRequests: { enabled: true },
      ...richAuthorization,
      deviceFlow: deviceFlow(options.pages, pages.error),
      resourceIndicators: resourceIndicators(host, { offers, issuer }),
      ...profileFeatures(keys.dpopNonces),
      ...mutualTls,
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
    async findAccount(ctx, accountId, token) {
      const account = await host.account(accountId);
      if (account === null) return undefined;
      const { extra } = (token ?? {}) as { readonly extra?: object };
      const isConform = ctx.oidc.client?.['conform_id_token_claims'] === true;
      const claims: AccountClaimsOf = async (use, scope, asked) => {
        // The UserInfo endpoint knows the login's class from the access token alone.
        const ofLogin = { sub: accountId, ...extra };
        const named = isConform && use === 'id_token' ? Object.keys(asked) : null;
        const wanted = new Set(named ?? [...wordsOf(scope), ...Object.keys(asked)]);
        const hasEmail = wanted.has('email') || wanted.has('email_verified');
        const email = emailClaims(hasEmail ? await host.email(accountId) : null);
        const all = { ...account.claims, ...email };
        return { ...ofLogin, ...(named === null ? all : only(named, all)) };
      };
      return { accountId, claims };
    },
    loadExistingGrant: (ctx) => existingGrant(ctx, host, lifetimes.accessToken + CODE_LIFE),
    rotateRefreshToken: rotatesRefreshTokens,
    assertJwtClientAuthClaimsAndHeader: expectProfileAssertion,
    extraTokenClaims: (ctx, token) => {
      expectApiScope(token, issuer);
      return extraOfExchange(token) ?? loginOf(ctx);
    },
    formats: { customizers: { jwt: subjectOfApi(host, subjectOf) } },
    ttl: {
      Session: lifetimes.session,
      Interaction: lifetimes.interaction,
      AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? lifetimes.accessToken,
      ClientCredentials: lifetimes.accessToken,
      IdToken: lifetimes.idToken,
      AuthorizationCode: CODE_LIFE,
      BackchannelAuthenticationRequest: backchannelLife,
      DeviceCode: DEVICE_CODE_LIFE,
      RefreshToken: lifetimes.refreshToken,
      Grant: (_ctx, grant) => grantLife(lifetimes, grant.getOIDCScope()),
    },
    clientBasedCORS: (_ctx, origin, client) =>
      (client.redirectUris ?? []).some(
        (uri) => /^https?:/.test(uri) && new URL(uri).origin === origin,
      ),
    renderError: pages.error,
    fetch: statusOnly(options.reachesPrivateNetworks ? unguardedFetch : fetch),
  };
}

/**
 * True for public clients and all whose registration says nothing else; and for others that send no `nonce`, which is
 * all that keeps a stolen code from their callback then (RFC 9700 §2.1.1, §4.5.3.2).
 */
function needsPkce({ oidc }: KoaContextWithOIDC, client: Client): boolean {
  const mayDoWithout = client['require_pkce'] === false && client.clientAuthMethod !== 'none';
  return !mayDoWithout || textOf(oidc.params?.['nonce']) === null;
}

/** The library sends logout tokens and pings alone, and reads the status of an answer: its body would keep a connection. */
function statusOnly(request: typeof fetch): typeof fetch {
  return async (...asked) => {
    const response = await request(...asked);
    await discard(response);
    return response;
  };
}

/** The library's dispatcher keeps its requests out of private networks; this one allows them. */
function unguardedFetch(url: string | URL | Request, options?: RequestInit): Promise<Response> {
  const plain: Record<string, unknown> = { ...options };
  delete plain['dispatcher'];
  return fetch(url, plain);
}

/** OpenID Connect Core §8.1: two sectors cannot tell that their identifiers belong to one person. */
export function pairwiseSubject(key: KeyObject, sector: unknown, person: string): string {
  return createHmac('sha256', key)
    .update(`${String(sector)}\0${person}`)
    .digest('base64url');
}

type AccountClaimsOf = Account['claims'];

/** Those of the claims that have one of the names. */
function only(names: readonly string[], claims: Readonly<Record<string, unknown>>) {
  return Object.fromEntries(Object.entries(claims).filter(([name]) => names.includes(name)));
}

/** OpenID Connect Core §5.1: the register holds addresses, without verification. */
function emailClaims(email: string | null) {
  return email === null ? {} : { email, email_verified: false };
}

/** Lifetime of a grant: longer than its refresh tokens; without them, as long as its other artefacts. */
function grantLife({ grant, session, accessToken }: OidcLifetimes, scope: string): number {
  return scope.split(' ').includes('offline_access') ? grant : session + accessToken + CODE_LIFE;
}

/** False when the account of a token was deactivated (RFC 7662 §4): the library checks the token alone. */
async function isUsable(host: Pick<OidcHost, 'account'>, token: object): Promise<boolean> {
  const { accountId } = token as { readonly accountId?: string };
  return accountId !== undefined && (await host.account(accountId)) !== null;
}

/** A client may introspect its own tokens only (RFC 7662 §4). */
function isOwnToken(
  _ctx: KoaContextWithOIDC,
  client: { readonly clientId: string },
  token: { readonly clientId?: string | undefined },
): boolean {
  return token.clientId === client.clientId;
}

/**
 * Grant that the citizen agreed to now, or at this login before. The library's `grantIdFor` would log in at a client that
 * may be refused, which is told of the logout then.
 */
function grantIdIn({ result, session }: KoaContextWithOIDC['oidc'], clientId: string) {
  return result?.consent?.grantId ?? session?.authorizations?.[clientId]?.grantId;
}

/** The grant of this login, or one created from earlier consent, on any device. */
async function existingGrant({ oidc }: KoaContextWithOIDC, host: OidcHost, needed: number) {
  const { client, session, provider } = oidc;
  if (client === undefined || session?.accountId === undefined) return undefined;
  const { accountId } = session;
  const { clientId } = client;
  const grantId = grantIdIn(oidc, clientId);
  const found = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  if (found?.accountId === accountId && lasts(found, needed)) return found;
  const scopes = await host.consentedScopes(accountId, clientId);
  if (scopes.length === 0) return undefined;
  const grant = new provider.Grant({ accountId, clientId });
  await enterScopes(host, grant, clientId, { granted: scopes, rejected: [] });
  await grant.save();
  return grant;
}

/** True when it outlives artefacts issued now. */
function lasts({ exp = 0 }: { readonly exp?: number | undefined }, seconds: number): boolean {
  return exp - Date.now() / 1000 > seconds;
}

/** Login context for the access token issued from it. */
function loginOf({ oidc }: KoaContextWithOIDC) {
  const { AuthorizationCode: code, RefreshToken: refresh } = oidc.entities;
  const { acr, amr, authTime } =
    code ??
    refresh ??
    oidc.entities.BackchannelAuthenticationRequest ??
    oidc.entities.DeviceCode ??
    {};
  return { acr, amr, auth_time: authTime };
}
