import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Provider } from 'oidc-provider';
import type { KeyVault } from '../../application/ports/keyVault.ts';
import type {
  EndedLogin,
  OidcAccess,
  OidcEngine,
  PendingInteraction,
} from '../../application/openIdConnect/ports/oidcEngine.ts';
import { readScopes } from '../../domain/shared/openIdScopes.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { OidcProviderOptions } from './configuration.ts';
import { paymentIn } from './authorizationDetails.ts';
import { presentCertificate } from './clientCertificates.ts';
import { askedClass } from './claimsParameter.ts';
import { textOf, wordsOf } from './parameters.ts';
import type { BuiltProvider, Interaction, ProviderObserver } from './provider.ts';
import { enterScopes, scopesAsked } from './resourceServers.ts';
import { ensureProviderKeys, type LeftOutKey, type ProviderKeys } from './signingKeySet.ts';

export interface OidcEngineOptions extends OidcProviderOptions, ProviderObserver {
  /** Issuer identifier, without a trailing slash. */
  readonly issuer: () => string;
  readonly keyVault: Pick<KeyVault, 'ensureKey' | 'sign'>;
  /** Labels of the periods whose keys are published, the signing one first. */
  readonly signingLabels: () => Promise<readonly string[]>;
  /** Called once for keys that cannot be made: their algorithms are not offered until they are. */
  readonly onLeftOut: (keys: readonly LeftOutKey[]) => void;
  /** Interval of reloading keys, milliseconds; default 30 s. */
  readonly keysEveryMs?: number;
}

/** A request, its response, and how its client certificate is read; omitted: it has none. */
export type ServedExchange = [
  ...exchange: Parameters<RequestListener>,
  certificate?: () => Uint8Array | null,
];

/** The engine with its HTTP endpoints. */
export interface RunningOidcEngine extends OidcEngine {
  /** Loads the library, which the first call does otherwise, keeping all other requests waiting meanwhile. */
  load(): Promise<void>;
  /** Serves {@link enginePaths}; `ip` is the caller's address. */
  serve(ip: string, ...exchange: ServedExchange): void;
  /** Sends a logout token. @throws Error unless the client takes it; its message says why, without an address */
  deliverLogout(login: EndedLogin): Promise<void>;
  /** Tells the client of a backchannel authentication request that it has ended. @throws Error unless it takes it */
  ping(id: string): Promise<void>;
  /** Reloads keys at once. */
  refreshKeys(): Promise<void>;
}

/** Properties of the library's client that its types omit. */
interface ToldClient {
  backchannelLogout(accountId: string, sid: string): Promise<void>;
}

interface PresentProvider extends BuiltProvider, ProviderKeys {
  /** Labels of the periods, joined. */
  readonly labels: string;
  readonly callback: RequestListener;
}

type Labelled = readonly { readonly label: string }[];

const isSame = (one: Labelled, other: Labelled = []) =>
  one.map(({ label }) => label).join() === other.map(({ label }) => label).join();

/** The library is hundreds of modules, which only processes that serve or deliver logouts load. */
const loadLibrary = () => import('./provider.ts');

/**
 * Adapts the certified library to the platform's interfaces. A provider is built for one set of keys and replaced when
 * the set changes; nothing is lost, since all durable state is in the database.
 */
export function createOidcEngine(options: OidcEngineOptions): RunningOidcEngine {
  const { issuer, keyVault, signingLabels, keysEveryMs = 30_000 } = options;
  let present: PresentProvider | undefined;
  let lookedAt = 0;
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const labels = await signingLabels();
    lookedAt = performance.now();
    if (present?.labels === labels.join() && present.leftOut.length === 0) return;
    const made = await ensureProviderKeys(keyVault, labels);
    const { keys, leftOut } = made;
    if (leftOut.length > 0 && !isSame(leftOut, present?.leftOut)) options.onLeftOut(leftOut);
    if (isSame(keys, present?.keys)) {
      present = present && { ...present, ...made, labels: labels.join() };
      return;
    }
    const { buildProvider } = await loadLibrary();
    const built = buildProvider(issuer(), { keyVault, keys }, options, options);
    const callback = built.provider.callback();
    present = {
      ...built,
      ...made,
      labels: labels.join(),
      callback: (...exchange) => void callback(...exchange),
    };
  }

  function refreshKeys(): Promise<void> {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  }

  /** During a database outage the known keys stay in use. */
  async function engine() {
    if (present === undefined) await refreshKeys();
    else if (performance.now() - lookedAt > keysEveryMs) {
      const refreshed = refreshKeys().catch((cause: unknown) => options.onFailure(cause));
      // Keys that could not be made may take as long again.
      if (present.leftOut.length === 0) await refreshed;
    }
    if (present === undefined) throw new Error('The provider has no keys.');
    return present;
  }

  async function interactionOf(uid: string, cookies: string | undefined): Promise<Interaction> {
    const { interactionOf: find } = await engine();
    const interaction = await find(...browser(cookies));
    if (interaction?.uid === uid) return interaction;
    throw new Refusal('INTERACTION_NOT_FOUND');
  }

  return {
    load: async () => {
      await loadLibrary();
    },
    refreshKeys,
    serve(ip, request, response, certificate) {
      presentCertificate(request, certificate);
      describeCaller(request, new URL(issuer()), ip);
      engine().then(
        ({ callback }) => callback(request, response),
        (cause: unknown) => {
          options.onFailure(cause);
          response.writeHead(503, { 'retry-after': '2', 'content-type': 'application/json' });
          response.end(JSON.stringify({ error: 'temporarily_unavailable' }));
        },
      );
    },
    async interaction(uid, cookies) {
      try {
        return await pendingInteraction(await interactionOf(uid, cookies));
      } catch (error) {
        if (error instanceof Refusal) return null;
        throw error;
      }
    },
    async resolve(uid, cookies, outcome) {
      await interactionOf(uid, cookies);
      const { provider } = await engine();
      const result =
        'login' in outcome ? { login: { ...outcome.login, amr: [...outcome.login.amr] } } : outcome;
      return provider.interactionResult(...browser(cookies), result, {
        mergeWithLastSubmission: 'consent' in outcome,
      });
    },
    async loggedIn(cookies, maxAge) {
      const { provider } = await engine();
      const session = await provider.Session.get(provider.createContext(...browser(cookies)));
      if (maxAge !== undefined && session.past(maxAge)) return null;
      return session.accountId ?? null;
    },
    async grant({ accountId, clientId, granted, rejected, grantId }) {
      const { provider } = await engine();
      const known = grantId === null ? undefined : await provider.Grant.find(grantId);
      const grant = known ?? new provider.Grant({ accountId, clientId });
      // Agreement to what was refused before.
      const now: readonly string[] = granted;
      const refused = wordsOf(grant.getRejectedOIDCScope()).filter((name) => !now.includes(name));
      delete (grant as { rejected?: { openid?: unknown } }).rejected?.openid;
      // Computed anew when saved: with `offline_access` it lives longer than it did without.
      delete grant.exp;
      const all = [...readScopes(refused.join(' ')), ...rejected];
      await enterScopes(options.host, grant, clientId, { granted, rejected: all });
      return grant.save();
    },
    async accessToken(token) {
      const { provider } = await engine();
      const found = await provider.AccessToken.find(token);
      if (found === undefined || found.isExpired || !(await isGranted(provider, found)))
        return null;
      return accessOf(found);
    },
    async deliverLogout(login) {
      const { deliverLogout } = await engine();
      await deliverLogout(login);
    },
    async ping(id) {
      const { ping } = await engine();
      await ping(id);
    },
    async clientAccess(token) {
      const { provider } = await engine();
      const found = await provider.ClientCredentials.find(token);
      const { clientId } = found ?? {};
      // A token bound to a key is no bearer token (RFC 9449 §7.2).
      if (found === undefined || clientId === undefined || found.isExpired) return null;
      return found.isSenderConstrained() ? null : { clientId, scopes: wordsOf(found.scope) };
    },
    async signSet(algorithm, claims) {
      const { signSet } = await engine();
      return signSet(algorithm, claims);
    },
    async announceLogout(sessions) {
      const { provider } = await engine();
      for (const session of sessions) {
        const { accountId, authorizations = {} } = session as {
          readonly accountId?: string;
          readonly authorizations?: Readonly<Record<string, { readonly sid?: string }>>;
        };
        if (accountId === undefined) continue;
        for (const [clientId, { sid }] of Object.entries(authorizations)) {
          if (sid === undefined) continue;
          await tellLogout(provider, { accountId, clientId, sid }).catch((cause: unknown) =>
            options.onUntold(clientId, cause),
          );
        }
      }
    },
  };

  async function tellLogout(
    provider: Provider,
    login: { readonly accountId: string; readonly clientId: string; readonly sid: string },
  ): Promise<void> {
    const client = await provider.Client.find(login.clientId);
    if (client?.backchannelLogoutUri === undefined) return;
    await (client as unknown as ToldClient).backchannelLogout(login.accountId, login.sid);
  }

  /** Grant that another tab made while this one was asked: a second one would end what came of it. */
  async function grantOfOtherTab({ session }: Interaction, clientId: string) {
    if (session === undefined) return null;
    const { provider } = await engine();
    const present = await provider.Session.findByUid(session.uid);
    return present?.grantIdFor(clientId) ?? null;
  }

  async function pendingInteraction(interaction: Interaction): Promise<PendingInteraction> {
    const { params, prompt } = interaction;
    const clientId = textOf(params['client_id']) ?? '';
    const { scopesOfClaims = [] } = prompt.details as { readonly scopesOfClaims?: string[] };
    const scope = [textOf(params['scope']) ?? '', ...scopesOfClaims].join(' ');
    return {
      uid: interaction.uid,
      prompt: prompt.name === 'consent' ? 'consent' : 'login',
      reasons: prompt.reasons,
      clientId,
      redirectUri: textOf(params['redirect_uri']) ?? '',
      scopes: await scopesAsked(options.host, { clientId, scope, resource: params['resource'] }),
      uiLocales: wordsOf(params['ui_locales']),
      acrValues: askedClass(params).values,
      loginHint: textOf(params['login_hint']),
      onBehalfOf: textOf(params['on_behalf_of']),
      payment: paymentIn(params),
      accountId: interaction.session?.accountId ?? null,
      grantId: interaction.grantId ?? (await grantOfOtherTab(interaction, clientId)),
      expiresAt: new Date(interaction.exp * 1000),
    };
  }

  async function accessOf(token: {
    readonly clientId?: string | undefined;
    readonly accountId?: string | undefined;
    readonly scope?: string | undefined;
    readonly jkt?: string | undefined;
    readonly 'x5t#S256'?: string | undefined;
    readonly aud?: string | string[] | undefined;
  }): Promise<OidcAccess | null> {
    const { clientId, accountId, scope = '', jkt, 'x5t#S256': thumbprint, aud } = token;
    // A token bound to a key is no bearer token (RFC 9449 §7.2); one with an audience is for another API (RFC 8707 §2).
    if ([jkt, thumbprint, aud].some((each) => each !== undefined)) return null;
    if (clientId === undefined || accountId === undefined) return null;
    const [client, account] = await Promise.all([
      options.host.client(clientId),
      options.host.account(accountId),
    ]);
    if (client === null || account === null) return null;
    return { clientId, accountId, scopes: readScopes(scope) };
  }

  /**
   * False when the grant of a token was revoked: a token issued while that happened is stored after the others were
   * removed. The library asks the same at its own endpoints.
   */
  async function isGranted(
    provider: Provider,
    { grantId, accountId, clientId }: InstanceType<Provider['AccessToken']>,
  ): Promise<boolean> {
    const grant = await provider.Grant.find(grantId);
    return (
      grant?.isExpired === false && grant.accountId === accountId && grant.clientId === clientId
    );
  }

  /** A request that carries only the browser's cookies. */
  function browser(cookies: string | undefined): [IncomingMessage, ServerResponse] {
    const request = new IncomingMessage(new Socket());
    request.url = '/';
    if (cookies !== undefined) request.headers.cookie = cookies;
    describeCaller(request, new URL(issuer()), '');
    return [request, new ServerResponse(request)];
  }
}

/**
 * The library derives addresses from the request: headers of the caller or a proxy are replaced by the configured ones.
 */
function describeCaller(request: IncomingMessage, issuer: URL, ip: string): void {
  request.headers.host = issuer.host;
  request.headers['x-forwarded-host'] = issuer.host;
  request.headers['x-forwarded-proto'] = issuer.protocol.slice(0, -1);
  request.headers['x-forwarded-for'] = ip;
}
