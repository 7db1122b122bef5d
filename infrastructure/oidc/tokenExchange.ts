import { errors, type KoaContextWithOIDC, type Provider } from 'oidc-provider';
import type { ServedApi } from '../../application/openIdConnect/ports/servedApis.ts';
import type { OidcHost } from '../../application/openIdConnect/ports/oidcHost.ts';
import { textOf, wordsOf } from './parameters.ts';
import { isTokenOfApi, resourceServerOf } from './resourceServers.ts';

/** Grant type of RFC 8693 §2.1. */
export const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';

const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';

/** Services that may act one after another in a citizen's name. */
const LONGEST_CHAIN = 3;

/** Service that acts in the citizen's name, and the one it acts for (RFC 8693 §4.1). */
interface Actor {
  readonly sub: string;
  readonly act?: Actor;
}

type Extra = Readonly<Record<string, unknown>> & { readonly act?: Actor };

type AccessToken = InstanceType<Provider['AccessToken']>;

type Client = InstanceType<Provider['Client']>;

/** Members of the library's access token that its types omit. */
interface ExchangedToken {
  /** Kept for UserInfo alone otherwise, which takes no token of an API. */
  readonly claims?: { readonly exchanged?: { readonly grantId?: string } };
  resourceServer: unknown;
}

const extras = new WeakMap<object, Extra>();

/** The login and the actors of a token that is being exchanged; undefined: another token. */
export function extraOfExchange(token: object): Extra | undefined {
  return extras.get(token);
}

/** False for a token made of one whose grant is gone: it ends with that one. */
export async function isOriginGranted(provider: Provider, token: object): Promise<boolean> {
  const exchanged = (token as ExchangedToken).claims?.exchanged;
  if (exchanged === undefined) return true;
  const { grantId } = exchanged;
  return grantId !== undefined && (await provider.Grant.find(grantId)) !== undefined;
}

/**
 * Lets an API act for a citizen at another one (RFC 8693): by an access token for itself, for scopes that its
 * registration pairs with those of the token, for no longer than the token lives.
 */
export function exchangeTokens(
  provider: Provider,
  host: OidcHost,
  offers: (algorithm: string) => boolean,
): void {
  provider.registerGrantType(
    TOKEN_EXCHANGE,
    async (ctx) => {
      const params: Readonly<Record<string, unknown>> = ctx.oidc.params;
      const { client } = ctx.oidc;
      expectUnbound(client);
      expectForm(params);
      const subject = await subjectOf(provider, host, ctx, params);
      const api = await targetOf(host, client.clientId, params);
      if (!offers(api.algorithm)) throw new errors.InvalidTarget();
      const scopes = scopesOf(api, subject, params);
      const { accountId, grantId } = subject;
      const token = new provider.AccessToken({
        accountId,
        client,
        gty: 'token_exchange',
        claims: { exchanged: { grantId: originOf(subject) ?? grantId } },
      } as unknown as ConstructorParameters<Provider['AccessToken']>[0]);
      const seconds = Math.min(api.seconds, subject.remainingTTL);
      const info = { ...resourceServerOf(api), accessTokenTTL: seconds };
      const { ResourceServer } = provider as unknown as {
        readonly ResourceServer: new (resource: string, info: object) => unknown;
      };
      (token as unknown as ExchangedToken).resourceServer = new ResourceServer(api.audience, info);
      token.scope = scopes.join(' ');
      extras.set(token, chained(subject, client.clientId));
      const value = await token.save();
      await host.exchanged({ clientId: client.clientId, accountId, apiId: api.apiId, scopes });
      ctx.body = {
        access_token: value,
        issued_token_type: ACCESS_TOKEN,
        token_type: 'Bearer',
        expires_in: seconds,
        scope: token.scope,
      };
    },
    [
      ...['subject_token', 'subject_token_type', 'actor_token', 'actor_token_type'],
      ...['requested_token_type', 'resource', 'audience', 'scope'],
    ],
  );
}

function originOf(token: object): string | undefined {
  return (token as ExchangedToken).claims?.exchanged?.grantId;
}

/** @throws errors.UnauthorizedClient for a client whose tokens are bound to a key: an exchanged one is bound to none */
function expectUnbound(client: Client): void {
  const isBound =
    client.dpopBoundAccessTokens === true ||
    client.tlsClientCertificateBoundAccessTokens === true ||
    client.clientAuthMethod === 'self_signed_tls_client_auth';
  if (isBound) throw new errors.UnauthorizedClient('tokens bound to a key are not exchanged');
}

/** @throws errors.InvalidRequest */
function expectForm(params: Readonly<Record<string, unknown>>): void {
  if (params['actor_token'] !== undefined || params['actor_token_type'] !== undefined) {
    throw new errors.InvalidRequest('the client itself is the actor');
  }
  const types = [params['subject_token_type'], params['requested_token_type'] ?? ACCESS_TOKEN];
  if (types.some((type) => type !== ACCESS_TOKEN)) {
    throw new errors.InvalidRequest('access tokens alone are exchanged');
  }
}

/** The token that is exchanged: for the asking API, in force. @throws errors.InvalidRequest (RFC 8693 §2.2.2) */
async function subjectOf(
  provider: Provider,
  host: OidcHost,
  { oidc }: KoaContextWithOIDC,
  params: Readonly<Record<string, unknown>>,
): Promise<AccessToken> {
  const { client } = oidc;
  const token = await provider.AccessToken.find(textOf(params['subject_token']) ?? '');
  const isUsable =
    client !== undefined &&
    token?.isValid === true &&
    (await isTokenOfApi(host, client, token)) &&
    (await isGranted(provider, token)) &&
    (await host.account(token.accountId)) !== null;
  if (!isUsable) throw new errors.InvalidRequest('subject_token is no token for this client');
  return token;
}

async function isGranted(provider: Provider, token: AccessToken): Promise<boolean> {
  if (originOf(token) !== undefined) return isOriginGranted(provider, token);
  return (await provider.Grant.find(token.grantId)) !== undefined;
}

/** @throws errors.InvalidTarget unless one API is named that the client is registered to act at */
async function targetOf(
  host: OidcHost,
  clientId: string,
  { resource, audience }: Readonly<Record<string, unknown>>,
): Promise<ServedApi> {
  const named = resource ?? audience;
  const api = (await host.apisOf(clientId)).find(
    (each) => each.audience === named && each.exchanges.length > 0,
  );
  if (api === undefined || (resource !== undefined && audience !== undefined)) {
    throw new errors.InvalidTarget();
  }
  return api;
}

/** @throws errors.InvalidScope when nothing is paired with the token's scopes, or more is asked for */
function scopesOf(
  { exchanges }: ServedApi,
  { scope }: AccessToken,
  params: Readonly<Record<string, unknown>>,
): readonly string[] {
  const has = wordsOf(scope);
  const paired = exchanges.filter(({ from }) => has.includes(from)).map(({ to }) => to);
  const possible = [...new Set(paired)];
  const asked = wordsOf(params['scope']);
  if (possible.length === 0 || asked.some((name) => !possible.includes(name))) {
    throw new errors.InvalidScope('this token allows nothing of that there', '');
  }
  return asked.length === 0 ? possible : asked;
}

/** @throws errors.InvalidRequest when the chain would be too long */
function chained(subject: AccessToken, sub: string): Extra {
  const before = (subject as { readonly extra?: Extra }).extra ?? {};
  const act = before.act === undefined ? { sub } : { sub, act: before.act };
  if (lengthOf(act) > LONGEST_CHAIN) {
    throw new errors.InvalidRequest(`more than ${LONGEST_CHAIN} services act for the citizen`);
  }
  return { ...before, act };
}

function lengthOf({ act }: Actor): number {
  return act === undefined ? 1 : 1 + lengthOf(act);
}
