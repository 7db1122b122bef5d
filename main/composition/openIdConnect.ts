import { consentsPath, mePath } from '../../api/openIdConnect/layout.ts';
import { createClientLimit } from '../../api/openIdConnect/clientLimit.ts';
import { consentsRoutes } from '../../api/openIdConnect/consentsRoutes.ts';
import { createOidcMount } from '../../api/openIdConnect/mount.ts';
import { consentLookupRoute } from '../../api/openIdConnect/consentLookupRoute.ts';
import { interactionPath } from '../../api/openIdConnect/loginPages.ts';
import { replyAs } from '../../api/openIdConnect/loginFlow.ts';
import { loginRoutes } from '../../api/openIdConnect/loginRoutes.ts';
import { devicePages } from '../../api/openIdConnect/devicePages.ts';
import { providerPages } from '../../api/openIdConnect/providerPages.ts';
import { createAddressLimit, createRateLimit } from '../../api/bounds/admission.ts';
import { networkOf } from '../../application/attempts.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import {
  createAccounts,
  readAccountId,
  withdrawConsent,
} from '../../application/openIdConnect/accounts.ts';
import { createApisOf } from '../../application/openIdConnect/apis.ts';
import type { ClientAdministrationDependencies } from '../../application/openIdConnect/administerClients.ts';
import {
  createConsents,
  createOidcAccessLog,
  createOidcClients,
} from '../../application/openIdConnect/aggregates.ts';
import type { RelyingPartyData } from '../../application/ports/referenceData.ts';
import { createBackchannel } from '../../application/openIdConnect/backchannel.ts';
import { createCitizenConsents } from '../../application/openIdConnect/citizenConsents.ts';
import { createCitizenLogin } from '../../application/openIdConnect/citizenLogin.ts';
import { createEmailOf } from '../../application/openIdConnect/emailOf.ts';
import { createOidcHost } from '../../application/openIdConnect/host.ts';
import { createLoginChallenges } from '../../application/openIdConnect/loginChallenge.ts';
import { createConsentLookup } from '../../application/openIdConnect/consentLookup.ts';
import { createLogoutDelivery } from '../../application/openIdConnect/logoutDelivery.ts';
import { createLoginOutcome } from '../../application/openIdConnect/loginOutcome.ts';
import { createOwnClient } from '../../application/openIdConnect/ownClient.ts';
import { createOidcPlatformUsers } from '../../application/openIdConnect/platformUsers.ts';
import { createFindClient } from '../../application/openIdConnect/servedClients.ts';
import { createKeyRotation } from '../../application/openIdConnect/signingKeys.ts';
import { createStartLogin } from '../../application/openIdConnect/startLogin.ts';
import { deriveMasterKeys } from '../../infrastructure/codec/encryption.ts';
import type { Config } from '../../infrastructure/config/config.ts';
import { createOidcEngine } from '../../infrastructure/oidc/engine.ts';
import { enginePaths } from '../../infrastructure/oidc/paths.ts';
import { createLoginTickets } from '../../infrastructure/credentials/loginTickets.ts';
import { svgQrCodes } from '../../infrastructure/oidc/qrCodes.ts';
import { createCertificateReader } from '../../infrastructure/pki/certificateReader.ts';
import { createPostgresOidcSigningKeys } from '../../infrastructure/postgres/oidcSigningKeys.ts';
import { createPostgresOidcState } from '../../infrastructure/postgres/oidcState.ts';
import { failingFast } from '../../infrastructure/postgres/pool.ts';
import { createConsentLists } from '../../projections/consents.ts';
import { createOidcClientPages } from '../../projections/oidcClients.ts';
import { publicAddresses } from '../../infrastructure/config/publicAddresses.ts';
import type { Guard } from '../../api/http/route.ts';
import type { Directory } from '../../application/directory/ports/directory.ts';
import type { PlatformUser } from '../../application/ports/platformTokens.ts';
import type { Core } from './core.ts';
import type { ServiceModule } from './serviceModule.ts';
import { consentsReadModel } from '../../projections/models/consents.ts';
import { oidcClientsReadModel } from '../../projections/models/oidcClients.ts';

const HOUR = 3_600_000;

/** Rate limit of consent look-ups per address. */
const LOOK_UPS_PER_MINUTE = 120;
/** User codes of devices typed or confirmed per address: of 20^8 codes nobody guesses one (RFC 8628 §5.1). */
const USER_CODES_PER_MINUTE = 20;
/** Recorded refusals per client and kind. */
const RECORDED_REFUSALS_PER_MINUTE = 20;

export interface OpenIdConnectOptions {
  /** Listening address, used as issuer without a configured public address. */
  readonly listeningOrigin: () => string;
  /** Source of e-mail addresses; null: none. */
  readonly directory: Directory | null;
}

/** The OpenID Connect provider: endpoints, keys, state, and the API of its pages. */
export function composeOpenIdConnect(
  core: Core,
  { listeningOrigin, directory }: OpenIdConnectOptions,
) {
  const { config, brand, foundation, aggregates, keys } = core;
  const reply = replyAs(brand);
  const oidcPages = { ...providerPages(brand), ...devicePages(brand) };
  const { clock, eventStore, randomness, referenceData, log, metrics, pool, vault, redis } =
    foundation;
  const stores = { eventStore, clock, randomness };
  const clients = createOidcClients(stores);
  const consents = createConsents(stores);
  const accessLog = createOidcAccessLog(stores);
  const state = createPostgresOidcState({ pool, vault });
  const rotation = composeKeyRotation(core);
  const derived = deriveMasterKeys(foundation.derivationKey);
  const issuer = () => config.SVC_BASE_URL ?? config.SVC_RP_API_BASE ?? listeningOrigin();
  const onFailure = (cause: unknown) =>
    foundation.outageLog.error({ err: cause }, 'The OpenID Connect provider failed.');

  const returnAddress = (page: string) => `${issuer()}${page}/return`;
  const clientOf = (clientId: string) => foundation.facts.get('oidcClient', clientId);
  const findClient = createFindClient({
    clientOf,
    referenceData,
    own: createOwnClient({
      relyingParty: aggregates.platformRelyingParty,
      returnAddresses: () => [consentsPath, mePath].map(returnAddress),
    }),
  });
  const apisOf = createApisOf(findClient);
  const findAccount = createAccounts({
    referenceData,
    expectRepresentation: aggregates.expectRepresentation,
    clock,
  });
  /** From the tables as they are, not from memory. */
  const findStoredAccount = createAccounts({
    referenceData: foundation.storedReferenceData,
    expectRepresentation: aggregates.expectRepresentation,
    clock,
  });
  const limited = (name: string) => createRateLimit({ name, redis: redis?.client ?? null });
  const refusalLimit = limited('tamga:oidcRefusals');
  const host = createOidcHost({
    findClient,
    apisOf,
    consents,
    findAccount,
    accessLog,
    admitRecord: async (kind) => {
      await refusalLimit.consume(kind, RECORDED_REFUSALS_PER_MINUTE);
    },
    clock,
    onFailure,
    emailOf: createEmailOf({
      directory,
      onFailure: (err) => log.warn({ err }, 'An e-mail address could not be looked up.'),
    }),
  });
  const requestLimit = {
    setting: 'SVC_OIDC_REQUESTS_PER_MINUTE',
    redis: redis?.client ?? null,
  };
  const challenges = createLoginChallenges({ key: derived.loginChallenges, randomness });
  const admit = async ({ relyingPartyId, requestsPerMinute }: RelyingPartyData) => {
    const most = requestsPerMinute ?? config.SVC_RP_REQUESTS_PER_MINUTE;
    await core.relyingPartyLimit.consume(relyingPartyId, most);
  };
  const startLogin = createStartLogin({
    referenceData,
    randomness,
    challenges,
    startSession: core.startSession,
    admit,
    returnAddress: (uid) => `${issuer()}${interactionPath(uid)}/return`,
  });
  const outcome = createLoginOutcome({
    sessions: aggregates.sessions,
    pollSession: core.pollSession,
    signatureVerifier: keys.signatureVerifier,
    certificates: createCertificateReader(keys.authority.certificates),
    challenges,
    clock,
  });
  const backchannel = createBackchannel({
    findClient,
    startLogin,
    outcome,
    admit,
    referenceData,
    consentedScopes: host.consentedScopes,
    state,
    accessLog,
    clock,
    jobs: core.effects.jobs,
    ping: (id) => engine.ping(id),
    onLogin: (result) => metrics.citizenLogin(result),
    onUntaken: (clientId, err) =>
      log.warn(
        { clientId, err },
        'A ping was not accepted. It is retried while the request is valid.',
      ),
  });
  const userCodeLimit = limited('tamga:userCode');
  const engine = createOidcEngine({
    admitUserCode: async (ip) => {
      await userCodeLimit.consume(networkOf(ip), USER_CODES_PER_MINUTE);
    },
    clientLimit: createClientLimit(requestLimit, config.SVC_OIDC_REQUESTS_PER_MINUTE),
    issuer,
    host,
    state,
    backchannel,
    clock,
    onFailure,
    onLeftOut: (keys) =>
      log.warn(
        { labels: keys.map(({ label }) => label), err: keys[0]?.cause },
        'Keys of the OpenID Connect provider cannot be generated. Their algorithms are not offered until then.',
      ),
    pages: oidcPages,
    onUntold: (clientId, cause) =>
      log.error({ clientId, err: cause }, 'The delivery of a logout token could not be scheduled.'),
    tellLogout: (login) => tellLogout(login),
    civilIdOf: (accountId) => readAccountId(accountId).civilId,
    registerOf: (accountId) => readAccountId(accountId).register,
    keys: {
      cookies: derived.oidcCookies,
      pairwiseSubjects: derived.pairwiseSubjects,
      dpopNonces: derived.dpopNonces,
    },
    lifetimes: lifetimesIn(config),
    interactionPath,
    mtlsBase: config.SVC_OIDC_MTLS_BASE_URL,
    reachesPrivateNetworks:
      config.SVC_OIDC_PRIVATE_NETWORKS ?? config.SVC_PROFILE === 'development',
    keyVault: keys.keyVault,
    signingLabels: () => rotation.published(),
  });
  const tellLogout = createLogoutDelivery({
    jobs: core.effects.jobs,
    deliver: (login) => engine.deliverLogout(login),
    accessLog,
    undelivered: foundation.undelivered,
    clock,
    randomness,
    onFailed: (clientId, err) => {
      metrics.retried('oidcLogout');
      log.warn({ clientId, err }, 'A logout token was not accepted. It is retried for a day.');
    },
  });
  const login = createCitizenLogin({
    engine,
    findClient,
    apisOf,
    consents,
    referenceData,
    accessLog,
    clock,
    expectRepresentation: aggregates.expectRepresentation,
    startLogin,
    outcome,
    onLogin: (result) => metrics.citizenLogin(result),
  });
  const origin = () => new URL(issuer()).origin;
  const pageLimit = limited('tamga:login');
  const consentProgress = foundation.progressOf(consentsReadModel);
  const withdraw = (
    consent: { readonly civilId: string; readonly clientId: string },
    context: CommandContext,
  ) => withdrawConsent({ consents, state, clock, progress: consentProgress }, consent, context);
  const { consentsOf } = failingFast(createConsentLists(foundation.database));
  const citizenConsents = createCitizenConsents({
    engine,
    findAccount,
    clients,
    apisOf,
    withdraw,
    randomness,
    consentsOf,
    authorizationEndpoint: () => `${issuer()}/oidc/authorize`,
    returnAddress,
  });
  const module: ServiceModule = {
    start: async () => {
      if (config.SVC_ROLES.includes('api')) await engine.load();
    },
    // Addresses of consents precede `/login/:uid`.
    routes: [
      ...consentsRoutes({ reply, consents: citizenConsents, rateLimit: pageLimit, origin }),
      ...loginRoutes({
        reply,
        login,
        clock,
        origin,
        tickets: createLoginTickets(derived.loginTickets),
        qrCodes: svgQrCodes,
        deviceLinkBase: publicAddresses(config).deviceLink,
        rateLimit: pageLimit,
      }),
    ],
    mounts: [
      createOidcMount({
        paths: enginePaths,
        pages: oidcPages,
        limit: createAddressLimit(
          { name: 'tamga:oidc', ...requestLimit },
          config.SVC_OIDC_REQUESTS_PER_MINUTE,
        ),
        serve: (ip, ...exchange) => engine.serve(ip, ...exchange),
      }),
    ],
  };
  const administering: ClientAdministrationDependencies = {
    takeNames: aggregates.takeNames,
    clients,
    referenceData,
    state,
    clock,
    randomness,
    progress: foundation.progressOf(oidcClientsReadModel),
    allowsLoopback: config.SVC_PROFILE === 'development',
    issuer,
  };
  const pages = failingFast(createOidcClientPages(foundation.database));
  const lookUp = createConsentLookup({ findClient, consents });
  return {
    module,
    login,
    engine,
    clients,
    consents,
    issuer,
    state,
    rotation,
    accessLog,
    administering,
    withdraw,
    pages,
    citizenConsents,
    reply,
    pageLimit,
    origin,
    findClient,
    findStoredAccount,
    consentsOf,
    consentedScopes: host.consentedScopes,
    admit,
    requestLimit,
    /** Verifies the provider's access tokens for the platform API. */
    platformUsers: createOidcPlatformUsers({ engine, clientOf }),
    /** API for clients' own consent screens. */
    consentLookup: (platformUser: Guard<PlatformUser>): ServiceModule => ({
      routes: [
        consentLookupRoute({
          lookUp,
          platformUser,
          loggedIn: async (cookies) => {
            const accountId = await engine.loggedIn(cookies);
            return accountId === null ? null : readAccountId(accountId).civilId;
          },
          limit: createAddressLimit(
            { name: 'tamga:consent', redis: redis?.client ?? null },
            LOOK_UPS_PER_MINUTE,
          ),
        }),
      ],
    }),
  };
}

export type OpenIdConnect = ReturnType<typeof composeOpenIdConnect>;

function composeKeyRotation({ config, foundation: { pool, clock } }: Core) {
  const session = config.SVC_OIDC_SESSION_HOURS * HOUR;
  return createKeyRotation({
    keys: createPostgresOidcSigningKeys(pool),
    clock,
    periodMs: config.SVC_OIDC_KEY_DAYS * 24 * HOUR,
    leadMs: config.SVC_OIDC_KEY_LEAD_HOURS * HOUR,
    // ID tokens are also presented at logout, after their expiry (OpenID Connect RP-Initiated Logout §2).
    keepMs: Math.max(session, 24 * HOUR),
  });
}

function lifetimesIn(config: Config) {
  return {
    session: config.SVC_OIDC_SESSION_HOURS * 3600,
    interaction: config.SVC_OIDC_LOGIN_MINUTES * 60,
    accessToken: config.SVC_OIDC_ACCESS_TOKEN_SECONDS,
    idToken: config.SVC_OIDC_ACCESS_TOKEN_SECONDS,
    refreshToken: config.SVC_OIDC_REFRESH_TOKEN_DAYS * 86_400,
    grant: config.SVC_OIDC_GRANT_DAYS * 86_400,
  };
}
