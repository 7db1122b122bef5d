import { consentId } from '../../domain/consent/consent.ts';
import type { RegisteredOidcClient } from '../../domain/oidcClient/oidcClient.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import type { OpenIdScopeName } from '../../domain/shared/openIdScopes.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { StandingOf } from '../organization/standing.ts';
import type { Clock } from '../ports/clock.ts';
import type { OrganizationFacts, RightFact } from '../ports/facts.ts';
import type { LoginTicket } from '../ports/loginTickets.ts';
import type { OidcEngine, PendingInteraction } from '../ports/oidcEngine.ts';
import { accountIdOf, readAccountId } from './accounts.ts';
import type { Consents, OidcAccessLog } from './aggregates.ts';
import { authenticationMethods, contextClassOf, levelFor } from './levels.ts';
import type { AppReturn, LoginOutcome, LoginStanding, LoginWait } from './loginOutcome.ts';
import type { FindClient } from './servedClients.ts';
import type { LoginTerms, LoginWish, StartLogin } from './startLogin.ts';

/** Which login is meant, and what proves that this browser began it. */
export interface LoginReference {
  readonly uid: string;
  /** The `Cookie` header as received. */
  readonly cookies: string | undefined;
}

/** A login or a consent under way, as its page needs it. */
export interface LoginView extends PendingInteraction {
  readonly client: Pick<RegisteredOidcClient, 'clientId' | 'relyingPartyId'> &
    Pick<
      RegisteredOidcClient['settings'],
      'name' | 'nameEn' | 'logoUri' | 'clientUri' | 'organization'
    >;
  /** What the citizen agreed to before; empty while nobody is logged in. */
  readonly alreadyGranted: readonly OpenIdScopeName[];
}

export interface LoginDependencies {
  readonly engine: OidcEngine;
  readonly findClient: FindClient;
  readonly consents: Consents;
  readonly startLogin: StartLogin;
  readonly outcome: LoginOutcome;
  readonly facts: Pick<OrganizationFacts, 'rightsOf'>;
  readonly standingOf: StandingOf;
  readonly accessLog: OidcAccessLog;
  readonly clock: Clock;
  /** Every login that came to an end, for the metrics. */
  readonly onLogin: (result: string) => void;
}

/**
 * Logging in to a client of the OpenID Connect provider, and agreeing to what it learns. The pages call nothing else.
 *
 * @throws Refusal INTERACTION_NOT_FOUND from every method: unknown, over, or of another browser
 */
export interface CitizenLogin {
  show(login: LoginReference): Promise<LoginView>;
  /** Asks the citizen to authenticate; may be repeated. @throws Refusal CONFLICT when a consent is waited for; as {@link StartLogin} */
  start(
    login: LoginReference,
    wish: LoginWish,
    contextOf: (sessionId: string) => CommandContext,
  ): Promise<LoginTicket>;
  /** As {@link LoginOutcome.standing}. */
  standing(login: LoginReference, ticket: LoginTicket, wait?: LoginWait): Promise<LoginStanding>;
  /** As {@link LoginOutcome.isReturn}. */
  isReturn(login: LoginReference, ticket: LoginTicket, returned: AppReturn): Promise<boolean>;
  /**
   * Whom the citizen may choose to act for: nobody, unless the client asks for an organization and leaves open which.
   *
   * @param civilId who has just authenticated
   */
  choices(login: LoginReference, civilId: string): Promise<readonly RightFact[]>;
  /**
   * Logs in the citizen who answered.
   *
   * @param register of the organization the citizen chose to act for; null: as the client asks, if it does
   * @returns where the browser is to go now
   * @throws Refusal SESSION_NOT_COMPLETE when nothing proves who it was; CONFLICT; as {@link StandingOf}
   */
  finish(
    login: LoginReference,
    answered: { readonly ticket: LoginTicket; readonly register: string | null },
    context: CommandContext,
  ): Promise<string>;
  /**
   * The citizen agrees to these of the scopes asked for; `openid` must be among them.
   *
   * @returns where the browser is to go now
   * @throws Refusal INVALID_REQUEST, CONFLICT when nobody is asked to agree
   */
  agree(
    login: LoginReference,
    scopes: readonly OpenIdScopeName[],
    context: CommandContext,
  ): Promise<string>;
  /** The citizen refuses. @returns where the browser is to go now */
  abort(login: LoginReference): Promise<string>;
}

export function createCitizenLogin(dependencies: LoginDependencies): CitizenLogin {
  const { engine, findClient, consents, startLogin, outcome, facts, clock } = dependencies;

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
    throw new Refusal('CONFLICT', { detail: 'Nobody is asked to log in here.' });
  }

  async function termsOf(interaction: PendingInteraction): Promise<LoginTerms> {
    const { relyingPartyId } = await clientOf(interaction);
    return { uid: interaction.uid, relyingPartyId, minimumLevel: levelFor(interaction.acrValues) };
  }

  /** For whom the citizen acts, provided that the right to stands now. */
  async function registerFor(
    { onBehalfOf, scopes }: PendingInteraction,
    chosen: string | null,
    civilId: string,
  ) {
    const asked = onBehalfOf ?? chosen;
    // Who does not ask for the organization is not told of it, and must not act for it either.
    if (asked === null || !scopes.includes('organization')) return null;
    const register = readRegister(asked);
    if (register === null) throw new Refusal('ORG_NOT_FOUND');
    await dependencies.standingOf(register, civilId, clock.now());
    return register;
  }

  return {
    async show(login) {
      const interaction = await pending(login);
      const { clientId, relyingPartyId, settings } = await clientOf(interaction);
      const { name, nameEn, logoUri, clientUri, organization } = settings;
      return {
        ...interaction,
        client: { clientId, relyingPartyId, name, nameEn, logoUri, clientUri, organization },
        alreadyGranted: await grantedBefore(interaction),
      };
    },
    async start(login, wish, contextOf) {
      return startLogin(await termsOf(await awaitingLogin(login)), wish, contextOf);
    },
    async standing(login, ticket, wait) {
      return outcome.standing(await termsOf(await pending(login)), ticket, wait);
    },
    async isReturn(login, ticket, returned) {
      await pending(login);
      return outcome.isReturn(ticket, returned);
    },
    async choices(login, civilId) {
      const { scopes, onBehalfOf } = await pending(login);
      if (onBehalfOf !== null || !scopes.includes('organization')) return [];
      return facts.rightsOf(civilId, clock.now());
    },
    async finish(login, { ticket, register: chosen }, context) {
      const interaction = await awaitingLogin(login);
      const standing = await outcome.standing(await termsOf(interaction), ticket);
      if (standing.state !== 'PROVEN') throw new Refusal('SESSION_NOT_COMPLETE');
      const { civilId, sessionId, certificateLevel } = standing.login;
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
        throw new Refusal('CONFLICT', { detail: 'Nobody is asked to agree here.' });
      }
      if (!scopes.includes('openid') || scopes.some((scope) => !asked.includes(scope))) {
        const detail = 'Agree to openid, and to nothing that is not asked for.';
        throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/scopes', detail }] });
      }
      await clientOf(interaction);
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
