import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import type { ServedApi } from '../../application/openIdConnect/ports/servedApis.ts';
import type { OidcHost } from '../../application/openIdConnect/ports/oidcHost.ts';
import {
  apiScopeOf,
  type ConsentScope,
  isApiScope,
  isOpenIdScope,
} from '../../domain/shared/consentScopes.ts';
import { readScopes } from '../../domain/shared/openIdScopes.ts';
import { wordsOf } from './parameters.ts';
import { signalScopes, signalsRoot } from '../../domain/oidcClient/signals.ts';
import { asksForDetails } from './richAuthorization.ts';

type Host = Pick<OidcHost, 'apisOf'>;

/** A token of the library, as far as APIs are concerned. */
interface ApiToken {
  readonly clientId?: string | undefined;
  readonly accountId?: string | undefined;
  readonly aud?: string | readonly string[] | undefined;
  readonly scope?: string | undefined;
}

const namesOf = ({ scopes }: ServedApi) => scopes.map(({ name }) => name);

async function apiFor({ apisOf }: Host, clientId: string | undefined, audience: unknown) {
  if (clientId === undefined) return undefined;
  return (await apisOf(clientId)).find((api) => api.audience === audience);
}

/** Resource server of the library for an API. */
export function resourceServerOf({ scopes, audience, seconds, format, algorithm }: ServedApi) {
  return {
    scope: scopes.map(({ name }) => name).join(' '),
    audience,
    accessTokenTTL: seconds,
    accessTokenFormat: format,
    ...(format === 'jwt' && { jwt: { sign: { alg: algorithm } } }),
  } as const;
}

/** The endpoints of security events, as the resource of what clients ask for themselves. */
const signalsResource = (issuer: string) => `${issuer}${signalsRoot}`;

/** True for a client that asks for a token for itself (RFC 6749 §4.4). */
const isForItself = ({ oidc }: KoaContextWithOIDC) =>
  oidc.route === 'token' && oidc.params?.['grant_type'] === 'client_credentials';

/** Resource indicators (RFC 8707): which APIs a client may ask for, and what their access tokens are like. */
export function resourceIndicators(
  host: Host,
  {
    offers,
    issuer,
  }: {
    readonly offers: (algorithm: string) => boolean;
    /** Resource of a payment: the library wants one named where there are details. */
    readonly issuer: string;
  },
) {
  return {
    enabled: true,
    defaultResource: (ctx: KoaContextWithOIDC, _client: unknown, oneOf?: readonly string[]) => {
      if (isForItself(ctx)) return signalsResource(issuer);
      return oneOf ?? (asksForDetails(ctx) ? issuer : undefined);
    },
    /** Answers the token request that names no resource as the authorization request did (RFC 8707 §2.2). */
    useGrantedResource: async (
      _ctx: unknown,
      { clientId, resource, scope }: ApiToken & { readonly resource?: unknown },
    ): Promise<boolean> => {
      if (typeof resource !== 'string') return false;
      const api = await apiFor(host, clientId, resource);
      return api !== undefined && wordsOf(scope).some((word) => namesOf(api).includes(word));
    },
    getResourceServerInfo: async (
      ctx: KoaContextWithOIDC,
      resource: string,
      client: { readonly clientId: string },
    ) => {
      // No API is acted at without a citizen.
      if (isForItself(ctx)) {
        if (resource !== signalsResource(issuer)) throw new errors.InvalidTarget();
        return { scope: signalScopes.join(' '), accessTokenFormat: 'opaque' } as const;
      }
      if (resource === issuer) return { scope: '', accessTokenFormat: 'opaque' } as const;
      const api = await apiFor(host, client.clientId, resource);
      if (api?.isAskedFor !== true || !offers(api.algorithm)) throw new errors.InvalidTarget();
      return resourceServerOf(api);
    },
  } as const;
}

/** Refuses a token for an API of which the citizen granted nothing. @throws errors.InvalidScope */
export function expectApiScope(token: object, issuer: string): void {
  const { aud, scope } = token as ApiToken;
  if (aud !== undefined && aud !== issuer && wordsOf(scope).length === 0) {
    throw new errors.InvalidScope('no scope of this resource is granted', '');
  }
}

/** True for an access token of this API (RFC 7662 §4), while the client that has it may still ask for the API. */
export async function isTokenOfApi(
  host: Host,
  { clientId: apiId }: { readonly clientId: string },
  token: object,
): Promise<boolean> {
  const { aud, clientId } = token as ApiToken;
  return aud !== undefined && (await apiFor(host, clientId, aud))?.apiId === apiId;
}

/**
 * Names the citizen in a JWT as the API's sector knows them, whichever client asked: so that an API knows its citizens,
 * and introspection names them alike.
 */
export function subjectOfApi(
  host: Host,
  subjectOf: (client: Readonly<Record<string, unknown>>, accountId: string) => string,
) {
  return async (
    _ctx: unknown,
    token: ApiToken,
    parts: { readonly payload: Record<string, unknown> },
  ): Promise<void> => {
    const api = await apiFor(host, token.clientId, token.aud);
    if (api === undefined || token.accountId === undefined) throw new errors.InvalidTarget();
    parts.payload['sub'] = subjectOf({ sector: api.sector }, token.accountId);
  };
}

/** Scopes that a request asks for, of OpenID Connect and of the APIs it names. */
export async function scopesAsked(
  host: Host,
  {
    clientId,
    scope,
    resource,
  }: { readonly clientId: string; readonly scope: string; readonly resource: unknown },
): Promise<readonly ConsentScope[]> {
  const named: readonly unknown[] = [resource].flat();
  if (resource === undefined) return readScopes(scope);
  const words = wordsOf(scope);
  const apis = (await host.apisOf(clientId)).filter(
    ({ audience, isAskedFor }) => isAskedFor && named.includes(audience),
  );
  const ofApis = apis.flatMap((api) =>
    namesOf(api)
      .filter((name) => words.includes(name))
      .map((name) => apiScopeOf(api.apiId, name)),
  );
  return [...readScopes(scope), ...ofApis];
}

type Grant = InstanceType<Provider['Grant']>;

/** Member of a grant that the library's types omit. */
interface Rejecting {
  readonly rejected?: { readonly resources?: Record<string, string> };
}

/** Enters what a citizen grants or rejects into a grant of the library. */
export async function enterScopes(
  host: Host,
  grant: Grant,
  clientId: string,
  { granted, rejected }: Readonly<Record<'granted' | 'rejected', readonly ConsentScope[]>>,
): Promise<void> {
  grant.addOIDCScope(granted.filter(isOpenIdScope).join(' '));
  const rejectedOfOpenId = rejected.filter(isOpenIdScope);
  if (rejectedOfOpenId.length > 0) grant.rejectOIDCScope(rejectedOfOpenId.join(' '));
  if (![...granted, ...rejected].some(isApiScope)) return;
  for (const api of await host.apisOf(clientId)) {
    const of = (scopes: readonly ConsentScope[]) =>
      namesOf(api).filter((name) => scopes.includes(apiScopeOf(api.apiId, name)));
    const yes = of(granted);
    const before = wordsOf(grant.getRejectedResourceScope(api.audience));
    const no = [...before.filter((name) => !yes.includes(name)), ...of(rejected)];
    // Agreement to what was refused before.
    delete (grant as Rejecting).rejected?.resources?.[api.audience];
    if (yes.length > 0) grant.addResourceScope(api.audience, yes.join(' '));
    if (no.length > 0) grant.rejectResourceScope(api.audience, no.join(' '));
  }
}

/** Sector by which an answer names the citizen: at introspection that of who asks. */
export function namedFor<Client>(
  ctx: KoaContextWithOIDC | undefined,
  client: Client,
): Client | NonNullable<KoaContextWithOIDC['oidc']['client']> {
  return ctx?.oidc.route === 'introspection' ? (ctx.oidc.client ?? client) : client;
}
