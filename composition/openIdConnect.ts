import { consentsPath } from '../api/openIdConnect/layout.ts';
import { consentsRoutes } from '../api/openIdConnect/consentsRoutes.ts';
import { createOidcMount } from '../api/openIdConnect/mount.ts';
import { consentLookupRoute } from '../api/openIdConnect/consentLookupRoute.ts';
import { interactionPath } from '../api/openIdConnect/loginPages.ts';
import { loginRoutes } from '../api/openIdConnect/loginRoutes.ts';
import { providerPages } from '../api/openIdConnect/providerPages.ts';
import { createAddressLimit, createRateLimit } from '../api/http/rateLimit.ts';
import { createPlatformRelyingParty } from '../application/document/platformRelyingParty.ts';
import type { CommandContext } from '../application/handleCommand.ts';
import { createAccounts, readAccountId } from '../application/openIdConnect/accounts.ts';
import {
  type ClientAdministrationDependencies,
  deactivateOidcClient,
  editOidcClient,
  reactivateOidcClient,
  registerOidcClient,
  rotateOidcClientSecret,
} from '../application/openIdConnect/administerClients.ts';
import {
  createConsents,
  createOidcAccessLog,
  createOidcClients,
} from '../application/openIdConnect/aggregates.ts';
import { createCitizenConsents } from '../application/openIdConnect/citizenConsents.ts';
import { createCitizenLogin } from '../application/openIdConnect/citizenLogin.ts';
import { withdrawConsent } from '../application/openIdConnect/endLogins.ts';
import { createEmailOf } from '../application/openIdConnect/emailOf.ts';
import { createOidcHost } from '../application/openIdConnect/host.ts';
import { createLoginChallenges } from '../application/openIdConnect/loginChallenge.ts';
import { createConsentLookup } from '../application/openIdConnect/consentLookup.ts';
import { createLoginOutcome } from '../application/openIdConnect/loginOutcome.ts';
import { createOwnClient } from '../application/openIdConnect/ownClient.ts';
import { createOidcPlatformUsers } from '../application/openIdConnect/platformUsers.ts';
import { createFindClient } from '../application/openIdConnect/servedClients.ts';
import { createKeyRotation } from '../application/openIdConnect/signingKeys.ts';
import type { OidcClientSettings } from '../domain/oidcClient/events.ts';
import { createStartLogin } from '../application/openIdConnect/startLogin.ts';
import { deriveMasterKeys } from '../infrastructure/codec/sealing.ts';
import type { Config } from '../infrastructure/config.ts';
import { createOidcEngine, enginePaths } from '../infrastructure/oidc/engine.ts';
import { createLoginTickets } from '../infrastructure/credentials/loginTickets.ts';
import { libraryNotices } from '../infrastructure/oidc/library.ts';
import { svgQrCodes } from '../infrastructure/oidc/qrCodes.ts';
import { createCertificateReader } from '../infrastructure/pki/certificateReader.ts';
import { createSignatureVerifier } from '../infrastructure/pki/signatureVerifier.ts';
import { createPostgresOidcSigningKeys } from '../infrastructure/postgres/oidcSigningKeys.ts';
import { createPostgresOidcState } from '../infrastructure/postgres/oidcState.ts';
import { failingFast } from '../infrastructure/postgres/availability.ts';
import { createConsentLists } from '../projections/consents.ts';
import { createOidcClientPages } from '../projections/oidcClients.ts';
import { publicAddresses } from '../infrastructure/publicAddresses.ts';
import type { Guard } from '../api/http/route.ts';
import type { Directory } from '../application/ports/directory.ts';
import type { PlatformUser } from '../application/ports/platformTokens.ts';
import type { Core } from './core.ts';
import type { ServicePart } from './part.ts';
import { composePollSession } from './pollSession.ts';
import { composeStartSession } from './startSession.ts';

const HOUR = 3_600_000;

/** Clients listed at most. */
const LISTED = 1000;

/** Consent look-ups of one address. */
const LOOK_UPS_PER_MINUTE = 120;

export interface OpenIdConnectOptions {
  /** Where the service listens, for the issuer where no public address is configured. */
  readonly listeningOrigin: () => string;
  /** Where e-mail addresses are known; null: nowhere. */
  readonly directory: Directory | null;
}

/** The OpenID Connect provider: its endpoints, its keys, its state, and what its pages call. */
export function composeOpenIdConnect(
  core: Core,
  { listeningOrigin, directory }: OpenIdConnectOptions,
) {
  const { config, foundation, aggregates, keys } = core;
  const { clock, eventStore, randomness, facts, log, metrics, pool, vault, redis } = foundation;
  const stores = { eventStore, clock, randomness };
  const clients = createOidcClients(stores);
  const consents = createConsents(stores);
  const accessLog = createOidcAccessLog(stores);
  const state = createPostgresOidcState({ pool, vault });
  const rotation = composeKeyRotation(core);
  const derived = deriveMasterKeys(foundation.masterKey);
  const issuer = () => config.SVC_BASE_URL ?? config.SVC_RP_API_BASE ?? listeningOrigin();
  const onFailure = (cause: unknown) =>
    log.error({ err: cause }, 'The OpenID Connect provider failed.');

  const consentsReturn = () => `${issuer()}${consentsPath}/return`;
  const findClient = createFindClient({
    ...{ clients, facts },
    own: createOwnClient({
      relyingParty: createPlatformRelyingParty({
        relyingParties: aggregates.relyingParties,
        ...{ facts, clock, randomness, name: config.SVC_DOCUMENT_SIGNING_NAME },
      }),
      returnAddress: consentsReturn,
    }),
  });
  const findAccount = createAccounts({ facts, standingOf: aggregates.standingOf, clock });
  const host = createOidcHost({
    ...{ findClient, consents, findAccount, accessLog, clock, onFailure },
    emailOf: createEmailOf({
      directory,
      onFailure: (err) => log.warn({ err }, 'An e-mail address could not be looked up.'),
    }),
  });
  if (libraryNotices.length > 0) {
    log.info({ notices: libraryNotices }, 'The OpenID Connect library has notices.');
  }
  const engine = createOidcEngine({
    ...{ issuer, host, state, clock, onFailure },
    pages: providerPages,
    onUntold: (clientId, cause) =>
      log.warn({ clientId, err: cause }, 'A client could not be told of a logout.'),
    civilIdOf: (accountId) => readAccountId(accountId).civilId,
    registerOf: (accountId) => readAccountId(accountId).register,
    keys: { cookies: derived.oidcCookies, pairwiseSubjects: derived.pairwiseSubjects },
    lifetimes: lifetimesIn(config),
    interactionPath,
    reachesPrivateNetworks:
      config.SVC_OIDC_PRIVATE_NETWORKS ?? config.SVC_PROFILE === 'development',
    keyVault: keys.keyVault,
    signingLabels: () => rotation.published(),
  });
  const limited = (name: string) => createRateLimit({ name, redis: redis?.client ?? null });
  const challenges = createLoginChallenges({ key: derived.loginChallenges, randomness });
  const startedSessions = limited('tamga:rp');
  const pushes = limited('tamga:push');
  const login = createCitizenLogin({
    ...{ engine, findClient, consents, facts, accessLog, clock },
    standingOf: aggregates.standingOf,
    startLogin: createStartLogin({
      ...{ facts, randomness, challenges },
      startSession: composeStartSession(core),
      admit: async ({ relyingPartyId, requestsPerMinute }) => {
        const most = requestsPerMinute ?? config.SVC_RP_REQUESTS_PER_MINUTE;
        await startedSessions.consume(relyingPartyId, most);
      },
      admitPush: async (identifier) => {
        await pushes.consume(identifier, config.SVC_OIDC_PUSHES_PER_MINUTE);
      },
      returnAddress: (uid) => `${issuer()}${interactionPath(uid)}/return`,
    }),
    outcome: createLoginOutcome({
      sessions: aggregates.sessions,
      pollSession: composePollSession(core),
      signatureVerifier: createSignatureVerifier({ ecdsaDigests: keys.ecdsaDigests }),
      certificates: createCertificateReader(keys.authority.certificates),
      ...{ challenges, clock },
    }),
    onLogin: (result) => metrics.citizenLogin(result),
  });
  const origin = () => new URL(issuer()).origin;
  const pageLimit = limited('tamga:login');
  const withdraw = (
    consent: { readonly civilId: string; readonly clientId: string },
    context: CommandContext,
  ) => withdrawConsent({ consents, state, clock, progress: foundation.progress }, consent, context);
  const citizenConsents = createCitizenConsents({
    ...{ engine, findAccount, clients, withdraw, randomness },
    consentsOf: failingFast(createConsentLists(foundation.database)).consentsOf,
    authorizationEndpoint: () => `${issuer()}/oidc/authorize`,
    returnAddress: consentsReturn,
  });
  const part: ServicePart = {
    // The addresses of consents before `/login/:uid`.
    routes: [
      ...consentsRoutes({ consents: citizenConsents, rateLimit: pageLimit, origin }),
      ...loginRoutes({
        ...{ login, clock, origin },
        tickets: createLoginTickets(derived.loginTickets),
        qrCodes: svgQrCodes,
        deviceLinkBase: publicAddresses(config).deviceLink,
        rateLimit: pageLimit,
      }),
    ],
    mounts: [
      createOidcMount({
        paths: enginePaths,
        limit: createAddressLimit(
          { name: 'tamga:oidc', redis: redis?.client ?? null },
          config.SVC_OIDC_REQUESTS_PER_MINUTE,
        ),
        serve: (ip, ...exchange) => engine.serve(ip, ...exchange),
      }),
    ],
  };
  const administering: ClientAdministrationDependencies = {
    ...{ clients, facts, state, clock, randomness, progress: foundation.progress },
    allowsLoopback: config.SVC_PROFILE === 'development',
  };
  const pages = failingFast(createOidcClientPages(foundation.database));
  const lookUp = createConsentLookup({ findClient, consents });
  return {
    ...{ part, login, engine, clients, consents, issuer, state, rotation, accessLog },
    ...{ administering, pages },
    /** Access tokens of the provider, for the platform API. */
    platformUsers: createOidcPlatformUsers({ engine, clients }),
    /** What clients' own consent screens ask. */
    consentLookup: (platformUser: Guard<PlatformUser>): ServicePart => ({
      routes: [
        consentLookupRoute({
          ...{ lookUp, platformUser },
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
    /** What is asked of the provider on the machine itself. */
    administration: (contextOf: () => CommandContext) => ({
      issuer,
      register: (settings: OidcClientSettings & { readonly relyingPartyId: string }) =>
        registerOidcClient(administering, settings, contextOf()),
      edit: (clientId: string, changes: Partial<OidcClientSettings>) =>
        editOidcClient(administering, { clientId, changes }, contextOf()),
      rotateSecret: (clientId: string) =>
        rotateOidcClientSecret(administering, clientId, contextOf()),
      deactivate: (clientId: string) => deactivateOidcClient(administering, clientId, contextOf()),
      reactivate: (clientId: string) => reactivateOidcClient(administering, clientId, contextOf()),
      list: async () => {
        const whole = { query: '', active: null, limit: LISTED, offset: 0 };
        return (await pages.oidcClientPage(whole)).items;
      },
      withdrawConsent: (civilId: string, clientId: string) =>
        withdraw({ civilId, clientId }, contextOf()),
      /** Other processes learn of it within half a minute. */
      rotateKeys: async (atOnce: boolean) => {
        await rotation.rotate(atOnce);
        await engine.refreshKeys();
      },
    }),
  };
}

export type OidcAdministration = ReturnType<OpenIdConnect['administration']>;

export type OpenIdConnect = ReturnType<typeof composeOpenIdConnect>;

function composeKeyRotation({ config, foundation: { pool, clock } }: Core) {
  const session = config.SVC_OIDC_SESSION_HOURS * HOUR;
  return createKeyRotation({
    ...{ keys: createPostgresOidcSigningKeys(pool), clock },
    periodMs: config.SVC_OIDC_KEY_DAYS * 24 * HOUR,
    leadMs: config.SVC_OIDC_KEY_LEAD_HOURS * HOUR,
    // ID tokens are also shown at the logout, when they have ended (OpenID Connect RP-Initiated Logout §2).
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
