import { consentId } from '../../domain/consent/consent.ts';
import type { OidcClientSettings } from '../../domain/oidcClient/settings.ts';
import type { RegisteredOidcClient } from '../../domain/oidcClient/oidcClient.ts';
import { platformScopesFor } from '../../domain/oidcClient/platformScopes.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import { type ConsentScope, isApiScope, isOpenIdScope } from '../../domain/shared/consentScopes.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { ExpectRepresentation } from '../organization/expectRepresentation.ts';
import type { Clock } from '../ports/clock.ts';
import type { OrganizationReferenceData, RightData } from '../ports/referenceData.ts';
import type { LoginTicket } from './ports/loginTickets.ts';
import type { OidcEngine, PendingInteraction } from './ports/oidcEngine.ts';
import { accountIdOf, readAccountId } from './accounts.ts';
import type { Consents, OidcAccessLog } from './aggregates.ts';
import type { ApisOf, ServedApi } from './ports/servedApis.ts';
import { authenticationMethods, contextClassOf, levelFor } from './levels.ts';
import type { AppReturn, LoginOutcome, LoginState, LoginWait } from './loginOutcome.ts';
import type { FindClient } from './servedClients.ts';
import type { LoginTerms, LoginWish, StartLogin } from './startLogin.ts';

/** Reference to a login, with proof that this browser started it. */
export interface LoginReference {
  readonly uid: string;
  /** The `Cookie` header as received. */
  readonly cookies: string | undefined;
}

/** A login or consent in progress, for its page. */
export interface LoginView extends PendingInteraction {
  readonly client: Pick<RegisteredOidcClient, 'clientId' | 'relyingPartyId'> &
    Pick<
      RegisteredOidcClient['settings'],
      'name' | 'nameEn' | 'logoUri' | 'clientUri' | 'organization'
    >;
  /** APIs whose scopes may be among them, with their texts. */
  readonly apis: readonly ServedApi[];
  /** Requested scopes that are the citizen's to give away. */
  readonly scopes: readonly ConsentScope[];
  /** Scopes granted before; empty while not logged in. */
  readonly alreadyGranted: readonly ConsentScope[];
}

export interface LoginDependencies {
  readonly engine: OidcEngine;
  readonly findClient: FindClient;
  readonly apisOf: ApisOf;
  readonly consents: Consents;
  readonly startLogin: StartLogin;
  readonly outcome: LoginOutcome;
  readonly referenceData: Pick<OrganizationReferenceData, 'rightsOf'>;
  readonly expectRepresentation: ExpectRepresentation;
  readonly accessLog: OidcAccessLog;
  readonly clock: Clock;
  /** Called for every completed login, for the metrics. */
  readonly onLogin: (result: string) => void;
}

/**
 * Login and consent at a client of the OpenID Connect provider; the only API of its pages.
 *
 * @throws Refusal INTERACTION_NOT_FOUND from every method: unknown, over, or of another browser
 */
export interface CitizenLogin {
  show(login: LoginReference): Promise<LoginView>;
  /**
   * Starts the citizen's authentication; may be repeated.
   * @throws Refusal CONFLICT when waiting for consent; as {@link StartLogin}
   */
  start(
    login: LoginReference,
    wish: LoginWish,
    contextOf: (sessionId: string) => CommandContext,
  ): Promise<LoginTicket>;
  /** See {@link LoginOutcome.loginState}. */
  loginState(login: LoginReference, ticket: LoginTicket, wait?: LoginWait): Promise<LoginState>;
  /** See {@link LoginOutcome.isReturn}. */
  isReturn(login: LoginReference, ticket: LoginTicket, returned: AppReturn): Promise<boolean>;
  /**
   * Organizations the citizen may choose to act for: none, unless the client requests an organization without naming
   * it.
   *
   * @param civilId of the authenticated citizen
   */
  choices(login: LoginReference, civilId: string): Promise<readonly RightData[]>;
  /**
   * Logs the authenticated citizen in.
   *
   * @param register of the organization chosen by the citizen; null: that of the client's request, if any
   * @returns next address of the browser
   * @throws Refusal SESSION_NOT_COMPLETE without a proven identity; CONFLICT; as {@link ExpectRepresentation}
   */
  finish(
    login: LoginReference,
    answered: { readonly ticket: LoginTicket; readonly register: string | null },
    context: CommandContext,
  ): Promise<string>;
  /**
   * Grants these of the requested scopes that are the citizen's to give away, `openid` among them.
   *
   * @returns next address of the browser
   * @throws Refusal INVALID_REQUEST, CONFLICT when no consent is pending
   */
  agree(
    login: LoginReference,
    scopes: readonly ConsentScope[],
    context: CommandContext,
  ): Promise<string>;
  /** The citizen refuses. @returns next address of the browser */
  abort(login: LoginReference): Promise<string>;
}

export function createCitizenLogin(dependencies: LoginDependencies): CitizenLogin {
  const { engine, findClient, consents, startLogin, outcome, referenceData, clock } = dependencies;

  async function pending({ uid, cookies }: LoginReference): Promise<PendingInteraction> {
    const interaction = await engine.interaction(uid, cookies);
    if (interaction === null) throw new Refusal('INTERACTION_NOT_FOUND');
    return interaction;
  }

  async function clientOf({ clientId }: PendingInteraction): Promise<RegisteredOidcClient> {
    const client = await findClient(clientId);
    if (client === null) throw new Refusal('INTERACTION_NOT_FOUND');
    return client;
  }

  async function awaitingLogin(login: LoginReference): Promise<PendingInteraction> {
    const interaction = await pending(login);
    if (interaction.prompt === 'login') return interaction;
    throw new Refusal('CONFLICT', { detail: 'This request is not waiting for a login.' });
  }

  async function termsOf(interaction: PendingInteraction): Promise<LoginTerms> {
    const { relyingPartyId } = await clientOf(interaction);
    const { uid, payment, acrValues } = interaction;
    return { uid, relyingPartyId, payment, minimumLevel: levelFor(acrValues) };
  }

  /** The organization the citizen acts for, after checking the right. */
  async function registerFor(
    { onBehalfOf, scopes }: PendingInteraction,
    chosen: string | null,
    civilId: string,
  ) {
    const asked = onBehalfOf ?? chosen;
    // A client without the scope neither learns the organization nor may act for it.
    if (asked === null || !scopes.includes('organization')) return null;
    const register = readRegister(asked);
    if (register === null) throw new Refusal('ORG_NOT_FOUND');
    await dependencies.expectRepresentation(register, civilId, clock.now());
    return register;
  }

  /** Requested scopes that are the citizen's to give away. */
  function grantableOf(
    { scopes, accountId }: PendingInteraction,
    { organization: ofClient }: OidcClientSettings,
  ) {
    const ofAccount = accountId === null ? null : readAccountId(accountId).register;
    const register = scopes.includes('organization') ? ofAccount : null;
    const ofOpenId = platformScopesFor(scopes.filter(isOpenIdScope), { register, ofClient });
    return [...ofOpenId, ...scopes.filter(isApiScope)];
  }

  return {
    async show(login) {
      const interaction = await pending(login);
      const { clientId, relyingPartyId, settings } = await clientOf(interaction);
      const { name, nameEn, logoUri, clientUri, organization } = settings;
      return {
        ...interaction,
        scopes: grantableOf(interaction, settings),
        apis: interaction.scopes.some(isApiScope) ? await dependencies.apisOf(clientId) : [],
        client: { clientId, relyingPartyId, name, nameEn, logoUri, clientUri, organization },
        alreadyGranted: await grantedBefore(interaction),
      };
    },
    async start(login, wish, contextOf) {
      const terms = await termsOf(await awaitingLogin(login));
      return (await startLogin(terms, wish, contextOf)).ticket;
    },
    async loginState(login, ticket, wait) {
      return outcome.loginState(await termsOf(await pending(login)), ticket, wait);
    },
    async isReturn(login, ticket, returned) {
      await pending(login);
      return outcome.isReturn(ticket, returned);
    },
    async choices(login, civilId) {
      const { scopes, onBehalfOf } = await pending(login);
      if (onBehalfOf !== null || !scopes.includes('organization')) return [];
      return referenceData.rightsOf(civilId, clock.now());
    },
    async finish(login, { ticket, register: chosen }, context) {
      const interaction = await awaitingLogin(login);
      const loginState = await outcome.loginState(await termsOf(interaction), ticket);
      if (loginState.state !== 'PROVEN') throw new Refusal('SESSION_NOT_COMPLETE');
      const { civilId, sessionId, certificateLevel } = loginState.login;
      const register = await registerFor(interaction, chosen, civilId);
      const acr = contextClassOf(certificateLevel);
      const { clientId } = interaction;
      const loggedInAt = clock.now().toISOString();
      const data = { clientId, civilId, sessionId, acr, register, loggedInAt };
      await dependencies.accessLog({ type: 'CitizenLoggedIn', data }, context);
      dependencies.onLogin('OK');
      return engine.resolve(login.uid, login.cookies, {
        login: { accountId: accountIdOf({ civilId, register }), acr, amr: authenticationMethods },
      });
    },
    async agree(login, scopes, context) {
      const interaction = await pending(login);
      const { accountId, clientId, scopes: asked, prompt, grantId } = interaction;
      if (prompt !== 'consent' || accountId === null) {
        throw new Refusal('CONFLICT', { detail: 'This request is not waiting for consent.' });
      }
      const { settings } = await clientOf(interaction);
      const grantable = grantableOf(interaction, settings);
      if (!scopes.includes('openid') || scopes.some((scope) => !grantable.includes(scope))) {
        const detail = 'The consent must include openid and nothing that was not requested.';
        throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/scopes', detail }] });
      }
      const { civilId } = readAccountId(accountId);
      const now = clock.now().toISOString();
      const command = { type: 'GiveConsent', civilId, clientId, scopes, now } as const;
      await consents.handle(consentId(civilId, clientId), command, context);
      const rejected = asked.filter((scope) => !scopes.includes(scope));
      const granted = await engine.grant({
        accountId,
        clientId,
        granted: scopes,
        rejected,
        grantId,
      });
      return engine.resolve(login.uid, login.cookies, { consent: { grantId: granted } });
    },
    async abort(login) {
      const { prompt } = await pending(login);
      if (prompt === 'login') dependencies.onLogin('ABORTED');
      return engine.resolve(login.uid, login.cookies, {
        error: 'access_denied',
        error_description: 'The citizen refused.',
      });
    },
  };

  async function grantedBefore({ accountId, clientId }: PendingInteraction) {
    if (accountId === null) return [];
    const { civilId } = readAccountId(accountId);
    return (await consents.load(consentId(civilId, clientId))).state.scopes;
  }
}
