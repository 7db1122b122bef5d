import { createHash, timingSafeEqual } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { errors, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { errorClass } from '../../application/ports/faults.ts';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import type { OidcHost } from '../../application/openIdConnect/ports/oidcHost.ts';
import type { CredentialRefused } from '../../domain/oidcAccess/events.ts';
import type { EndedLogin } from '../../application/openIdConnect/ports/oidcEngine.ts';
import { countRequest } from './clientRequests.ts';
import { pingClient, settleBackchannelRequests } from './backchannel.ts';
import {
  knownSubject,
  oidcConfiguration,
  type OidcProviderOptions,
  pairwiseSubject,
} from './configuration.ts';
import { detectReplays } from './replays.ts';
import { libraryPages } from './pages.ts';
import { createRequestState } from './requestState.ts';
import { grantClaimsByScope } from './claimsParameter.ts';
import { keepOfflineAccess } from './offlineAccess.ts';
import { boundGuesses } from './deviceFlow.ts';
import { exchangeTokens } from './tokenExchange.ts';
import { VaultSigningKey } from './signingKey.ts';
import type { ProviderKey } from './signingKeySet.ts';

export interface ProviderObserver {
  /** Called on a server error; the client sees only `server_error`. */
  readonly onFailure: (cause: unknown) => void;
  /** Called when the delivery of a logout token could not be arranged. */
  readonly onUntold: (clientId: string, cause: unknown) => void;
  /** Arranges the delivery of a logout token. */
  readonly tellLogout: (login: EndedLogin) => Promise<void>;
}

/**
 * Builds and configures the library's provider.
 *
 * @param issuer without a trailing slash
 * @param keys of each algorithm the signing one first; all are published
 */
export function buildProvider(
  issuer: string,
  {
    keyVault,
    keys,
  }: { readonly keyVault: Pick<KeyVault, 'sign'>; readonly keys: readonly ProviderKey[] },
  options: OidcProviderOptions,
  { onFailure, onUntold, tellLogout }: ProviderObserver,
): BuiltProvider {
  const signingKeys = keys.map((key) => new VaultSigningKey(keyVault, key));
  const requestState = createRequestState(options);
  const configuration = oidcConfiguration({ ...options, requestState }, signingKeys, issuer);
  const provider = new Provider(issuer, configuration);
  // Forwarded headers were written by the mount, never by the caller.
  provider.proxy = true;
  compareSecretsByHash(provider);
  exchangeTokens(provider, options.host, (wanted) => signingKeys.some(({ alg }) => alg === wanted));
  allowFurtherGrants(provider);
  detectReplays(provider, options);
  const answerFault = faultAnswers(provider, options);
  keepOfflineAccess(provider);
  grantClaimsByScope(provider);
  settleBackchannelRequests(provider, options);
  provider.use(boundGuesses(options.admitUserCode, options.pages));
  provider.use(async (ctx, next) => {
    await next();
    // Recorded first: a logout that is not on record has not happened, and is asked for again.
    await tellLoggedOut(options.host, ctx)
      .then(() => requestState.finish(ctx))
      .catch((error: unknown) => answerFault(ctx as unknown as KoaContextWithOIDC, error));
    answerForeignToken(ctx);
    answerMissingGrant(ctx);
    describeUserCodes(ctx);
    await countRequest(options.clientLimit, ctx);
    const cookies = ctx.res.getHeader('set-cookie');
    if (!Array.isArray(cookies)) return;
    ctx.res.setHeader(
      'set-cookie',
      cookies.map((cookie) => withRelativeLife(cookie, options.clock.now())),
    );
  });
  const deliverLogout = deliverLogoutsLater(provider, options, tellLogout);
  // The library's types omit Koa's event and two of its own.
  const emitter: EventEmitter = provider;
  provider.on('server_error', (_ctx, error) => onFailure(error));
  emitter.on('error', onFailure);
  provider.on('backchannel.error', (_ctx, error, client) => onUntold(client.clientId, error));
  for (const event of ['grant.error', 'introspection.error', 'revocation.error']) {
    emitter.on(event, (ctx: KoaContextWithOIDC, error: unknown) =>
      tellRefusal(options.host, ctx, error),
    );
  }
  return {
    provider,
    deliverLogout,
    ping: (id) => pingClient(provider, id).catch(failUntaken),
    signSet: (algorithm, claims) => {
      const key = signingKeys.find(({ alg }) => alg === algorithm);
      if (key === undefined) throw new Error(`There is no key of ${algorithm}.`);
      return key.jwt('secevent+jwt', claims);
    },
    interactionOf: (...exchange) => find(provider, exchange),
  };
}

/** Answers a fault of what a request left to its end, as the library answers those before. */
function faultAnswers(provider: Provider, { pages }: Pick<OidcProviderOptions, 'pages'>) {
  const emitter: EventEmitter = provider;
  const page = libraryPages(pages).error;
  return (ctx: KoaContextWithOIDC, error: unknown): void => {
    const isRefused = error instanceof errors.OIDCProviderError;
    const fault = isRefused
      ? { error: error.error, error_description: error.error_description }
      : { error: 'server_error', error_description: 'oops! something went wrong' };
    ctx.remove('location');
    // Cookies would say what was not written.
    ctx.remove('set-cookie');
    ctx.status = isRefused ? error.statusCode : 500;
    if (ctx.oidc.route === 'token') ctx.body = fault;
    else page(ctx, fault);
    emitter.emit(isRefused ? 'grant.error' : 'server_error', ctx, error);
  };
}

async function find(
  provider: Provider,
  exchange: [IncomingMessage, ServerResponse],
): Promise<Interaction | null> {
  try {
    return await provider.interactionDetails(...exchange);
  } catch (error) {
    if (error instanceof errors.SessionNotFound) return null;
    throw error;
  }
}

/** Answers a client without the grant in the words of CIBA Core §13 and RFC 6749 §5.2; the library's are `invalid_request`. */
function answerMissingGrant({ body }: Pick<KoaContextWithOIDC, 'body'>): void {
  const refusal = (body ?? {}) as { error?: string; readonly error_description?: string };
  const { error, error_description: reason = '' } = refusal;
  if (error === 'invalid_request' && reason.endsWith(' is not allowed for this client')) {
    refusal.error = 'unauthorized_client';
  }
}

/**
 * Answers the introspection and the revocation of a JWT, which no token of this provider is, as those of any unknown
 * token (RFC 7662 §2.2, RFC 7009 §2.2). The library refuses it after the client's authentication.
 */
function answerForeignToken(ctx: Pick<KoaContextWithOIDC, 'status' | 'body'> & Routed): void {
  const route = ctx.oidc?.route;
  if (route !== 'introspection' && route !== 'revocation') return;
  if ((ctx.body as { readonly error?: string } | undefined)?.error !== 'unsupported_token_type') {
    return;
  }
  ctx.body = route === 'introspection' ? { active: false } : '';
  ctx.status = 200;
}

/** Records a logout that the citizen confirmed: of all clients in the browser, or of the one that asked for it alone. */
async function tellLoggedOut(
  host: Pick<OidcHost, 'loggedOut'>,
  {
    oidc,
    status,
  }: Pick<KoaContextWithOIDC, 'status'> & {
    readonly oidc?: KoaContextWithOIDC['oidc'] | undefined;
  },
): Promise<void> {
  if (oidc?.route !== 'end_session_confirm' || status !== 303) return;
  const { session, params, client } = oidc;
  const accountId = session?.accountId;
  const isOfAll = params?.['logout'] !== undefined;
  const one = client === undefined ? [] : [client.clientId];
  const clientIds = isOfAll ? Object.keys(session?.authorizations ?? {}) : one;
  if (accountId !== undefined && clientIds.length > 0)
    await host.loggedOut({ accountId, clientIds });
}

/** Has discovery say that there are no user codes (CIBA Core §4), which the library takes for granted. */
function describeUserCodes({ oidc, body }: Pick<KoaContextWithOIDC, 'body'> & Routed): void {
  if (oidc?.route !== 'discovery') return;
  Object.assign(body as object, { backchannel_user_code_parameter_supported: false });
}

/** A request; `oidc` is missing where no route of the library was met. */
interface Routed {
  readonly oidc?: Pick<KoaContextWithOIDC['oidc'], 'route'> | undefined;
}

/** A cookie that says how long it is kept: a browser whose clock is ahead would drop one that says until when. */
function withRelativeLife(cookie: string, now: Date): string {
  return cookie.replaceAll(/; expires=([^;]+)/gi, (_, until: string) => {
    const seconds = Math.round((Date.parse(until) - now.getTime()) / 1000);
    return `; Max-Age=${Math.max(0, seconds)}`;
  });
}

/** State of a login or a consent that a citizen is asked for. */
export type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

export interface BuiltProvider {
  readonly provider: Provider;
  /** The interaction a browser is in, by its cookies; null: none. */
  readonly interactionOf: (
    ...exchange: [IncomingMessage, ServerResponse]
  ) => Promise<Interaction | null>;
  /** Sends a logout token. @throws Error unless the client takes it; its message says why, without an address */
  readonly deliverLogout: (login: EndedLogin) => Promise<void>;
  /** Tells the client of a backchannel authentication request that it has ended. @throws Error unless it takes it, likewise */
  readonly ping: (id: string) => Promise<void>;
  /** Signs a security event token (RFC 8417). @throws Error without a key of this algorithm */
  readonly signSet: (algorithm: string, claims: object) => Promise<string>;
}

/** Members of the library's client that its types omit. */
interface ToldClient {
  readonly clientId: string;
  readonly backchannelLogoutUri?: string | undefined;
  backchannelLogout(accountId: string, sid: string): Promise<void>;
}

/** Has the library hand over logout tokens, which it would send while the citizen waits. */
function deliverLogoutsLater(
  provider: Provider,
  { keys, civilIdOf }: OidcProviderOptions,
  tellLogout: ProviderObserver['tellLogout'],
): BuiltProvider['deliverLogout'] {
  const prototype = provider.Client.prototype as unknown as ToldClient;
  const send = prototype.backchannelLogout;
  prototype.backchannelLogout = function (
    this: ToldClient & Record<string, unknown>,
    account,
    sid,
  ) {
    const subject = pairwiseSubject(keys.pairwiseSubjects, this['sector'], civilIdOf(account));
    return tellLogout({ clientId: this.clientId, subject, sid });
  };
  return async ({ clientId, subject, sid }) => {
    const client = (await provider.Client.find(clientId)) as unknown as ToldClient | undefined;
    if (client?.backchannelLogoutUri === undefined) return;
    await send.call(client, `${knownSubject}${subject}`, sid).catch(failUntaken);
  };
}

/** Fails without the library's error, which names the address, whose query may hold a secret. @throws Error */
function failUntaken(error: unknown): never {
  throw new Error(whyUntaken(error));
}

/** Reason of a failed delivery. */
function whyUntaken(error: unknown): string {
  const { response, cause } = error as {
    readonly response?: { readonly status: number };
    readonly cause?: unknown;
  };
  if (response !== undefined) return `HTTP ${response.status}`;
  return errorClass(cause instanceof Error ? cause : error);
}

/** Compares secrets by SHA-256, since only hashes are stored; the library would compare the texts. */
function compareSecretsByHash(provider: Provider): void {
  const prototype = provider.Client.prototype as unknown as {
    compareClientSecret: (this: { readonly secret_hash?: string }, presented: string) => boolean;
  };
  prototype.compareClientSecret = function (presented) {
    const kept = Buffer.from(this.secret_hash ?? '', 'hex');
    const actual = createHash('sha256').update(presented).digest();
    return kept.length === actual.length && timingSafeEqual(kept, actual);
  };
}

/**
 * Allows clients the grant types of `further_grant_types`. The library wants a `jwks_uri` of a client with pairwise
 * subjects and these among its `grant_types`, to make the sector of; ours is registered (CIBA Core §4).
 */
function allowFurtherGrants(provider: Provider): void {
  const prototype = provider.Client.prototype as unknown as {
    grantTypeAllowed: (this: Readonly<Record<string, unknown>>, type: string) => boolean;
  };
  const isAllowed = prototype.grantTypeAllowed;
  prototype.grantTypeAllowed = function (type) {
    const further = (this['further_grant_types'] ?? []) as readonly string[];
    return further.includes(type) || isAllowed.call(this, type);
  };
}

/** Messages of the library that indicate misuse or a defect; they are in `error_detail`, which no client sees. */
const misuse: readonly (readonly [RegExp, CredentialRefused['data']['reason']])[] = [
  [/invalid secret provided/, 'CLIENT_AUTHENTICATION_FAILED'],
  [/authorization code already consumed/, 'CODE_REPLAYED'],
  [/refresh token already used/, 'REFRESH_TOKEN_REPLAYED'],
  [/code_verifier does not match/, 'CODE_VERIFIER_WRONG'],
];

function tellRefusal(host: Pick<OidcHost, 'refused'>, ctx: KoaContextWithOIDC, error: unknown) {
  const { client, entities } = ctx.oidc;
  const { error_detail: detail = '', cause } = error as {
    readonly error_detail?: string;
    readonly cause?: unknown;
  };
  const why = cause instanceof Error ? `${detail} ${cause.message}` : detail;
  const reason = misuse.find(([words]) => words.test(why))?.[1];
  if (client === undefined || reason === undefined) return;
  const { AuthorizationCode: code, RefreshToken: refresh } = entities;
  const accountId = code?.accountId ?? refresh?.accountId ?? null;
  host.refused({ clientId: client.clientId, accountId, reason });
}
