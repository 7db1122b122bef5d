import { consentId } from '../../domain/consent/consent.ts';
import type { RegisteredOidcClient } from '../../domain/oidcClient/oidcClient.ts';
import type { SessionFlow, SessionStarted } from '../../domain/session/events.ts';
import type { CompleteSession } from '../../domain/session/session.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import type { OpenIdScopeName } from '../../domain/shared/openIdScopes.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { RelyingPartyFact, RelyingPartyFacts } from '../ports/facts.ts';
import type { OidcEngine, PendingInteraction } from '../ports/oidcEngine.ts';
import type { PollResult, PollSession } from '../session/pollSession.ts';
import type { SessionTarget } from '../session/sessionOwner.ts';
import type { Sessions } from '../session/sessions.ts';
import type { StartSession } from '../session/startSession.ts';
import { accountIdOf, readAccountId } from './accounts.ts';
import type { Consents, OidcAccessLog, OidcClients } from './aggregates.ts';
import { authenticationMethods, contextClassOf, levelFor } from './levels.ts';
import type { LoginChallenges } from './loginChallenge.ts';

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

/** How the citizen is to be asked. */
export interface LoginWish {
  readonly target: SessionTarget;
  readonly flow: SessionFlow;
  /** ETSI identifier or register of the organization to act for; null: as the client asks, if it does. */
  readonly onBehalfOf: string | null;
  /** Where the phone returns to, on the issuer's own address; null: nowhere. */
  readonly callbackUrl: string | null;
}

export interface LoginDependencies {
  readonly engine: OidcEngine;
  readonly clients: OidcClients;
  readonly consents: Consents;
  readonly sessions: Pick<Sessions, 'load'>;
  readonly facts: RelyingPartyFacts;
  readonly startSession: StartSession;
  readonly pollSession: PollSession;
  readonly challenges: LoginChallenges;
  readonly accessLog: OidcAccessLog;
  readonly clock: Clock;
  /** Host of the login pages: phones may return there. */
  readonly host: () => string;
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
  /**
   * Asks the citizen to authenticate; may be repeated.
   *
   * @throws Refusal as {@link StartSession}; PERMISSION_DENIED when the client's relying party may not ask
   */
  start(
    login: LoginReference,
    wish: LoginWish,
    contextOf: (sessionId: string) => CommandContext,
  ): Promise<SessionStarted['data']>;
  /** Waits for the citizen's answer. @throws Refusal SESSION_NOT_FOUND when this login did not start the session */
  wait(
    login: LoginReference,
    poll: {
      readonly sessionId: string;
      readonly timeoutMs: number;
      readonly onGone: Parameters<PollSession>[0]['onGone'];
    },
  ): Promise<PollResult>;
  /**
   * Logs in the citizen who answered.
   *
   * @returns where the browser is to go now
   * @throws Refusal SESSION_NOT_FOUND, SESSION_NOT_COMPLETE, CONFLICT when the answer was not OK
   */
  finish(login: LoginReference, sessionId: string, context: CommandContext): Promise<string>;
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

/** Code points a phone shows (specification, Interaction). */
const SHOWN = 60;

export function createCitizenLogin(dependencies: LoginDependencies): CitizenLogin {
  const { engine, clients, consents, sessions, facts, challenges, clock } = dependencies;

  async function pending({ uid, cookies }: LoginReference): Promise<PendingInteraction> {
    const interaction = await engine.interaction(uid, cookies);
    if (interaction === null) throw new Refusal('INTERACTION_NOT_FOUND');
    return interaction;
  }

  async function clientOf({ clientId }: PendingInteraction): Promise<RegisteredOidcClient> {
    const { state } = await clients.load(clientId);
    if (state.status !== 'ACTIVE') throw new Refusal('INTERACTION_NOT_FOUND');
    return state;
  }

  async function relyingPartyOf({ relyingPartyId }: RegisteredOidcClient) {
    const party = await facts.relyingParty(relyingPartyId);
    if (party?.active !== true) throw new Refusal('INTERACTION_NOT_FOUND');
    if (!party.firstParty && !party.permissions.includes('AUTH')) {
      throw new Refusal('PERMISSION_DENIED');
    }
    return party;
  }

  /** The session, if this login started it. */
  async function sessionOf({ uid }: LoginReference, sessionId: string) {
    const { state } = await sessions.load(sessionId);
    if (
      state.status === 'NONE' ||
      state.started.kind !== 'AUTHENTICATION' ||
      !challenges.isOf(uid, state.started.rpChallenge ?? '')
    ) {
      throw new Refusal('SESSION_NOT_FOUND');
    }
    return state;
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
    async start(login, { target, flow, onBehalfOf, callbackUrl }, contextOf) {
      const interaction = await pending(login);
      const client = await clientOf(interaction);
      const relyingParty = await relyingPartyOf(client);
      const { name } = client.settings;
      return dependencies.startSession(
        {
          relyingParty: returningTo(relyingParty, dependencies.host()),
          ...{ generation: 'G1', nested: null, target, flow, callbackUrl },
          content: {
            kind: 'AUTHENTICATION',
            rpChallenge: challenges.make(login.uid),
            hashType: null,
          },
          relyingPartyName: name,
          certificateLevel: levelFor(interaction.acrValues),
          interactions: [
            {
              type: 'displayTextAndPIN',
              displayText60: Array.from(name).slice(0, SHOWN).join(''),
            },
          ],
          ...{ vcType: null, fileName: null, subsystem: null },
          onBehalfOf: interaction.onBehalfOf ?? onBehalfOf,
        },
        contextOf,
      );
    },
    async wait(login, { sessionId, timeoutMs, onGone }) {
      await pending(login);
      const { started } = await sessionOf(login, sessionId);
      const { relyingPartyId } = started;
      return dependencies.pollSession({ sessionId, relyingPartyId, timeoutMs, onGone });
    },
    async finish(login, sessionId, context) {
      const interaction = await pending(login);
      const session = await sessionOf(login, sessionId);
      if (session.status !== 'COMPLETE') throw new Refusal('SESSION_NOT_COMPLETE');
      const { civilId, acr, register } = loggedIn(session, interaction, clock.now());
      const loggedInAt = clock.now().toISOString();
      const { clientId } = interaction;
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

/** Phones return to the login page, whatever else the relying party has. */
function returningTo(relyingParty: RelyingPartyFact, host: string): RelyingPartyFact {
  return { ...relyingParty, callbackHosts: [host] };
}

/** Who logged in by a session, if somebody did. */
function loggedIn(
  { started, outcome }: CompleteSession,
  { onBehalfOf }: PendingInteraction,
  now: Date,
) {
  if (now.toISOString() >= started.readableUntil) throw new Refusal('SESSION_NOT_FOUND');
  const { confirmation } = outcome;
  if (confirmation === null) {
    throw new Refusal('CONFLICT', { detail: 'The citizen did not confirm.' });
  }
  const register = started.onBehalfOf?.register ?? null;
  if (onBehalfOf !== null && readRegister(onBehalfOf) !== register) {
    throw new Refusal('CONFLICT', { detail: 'The session is on behalf of another organization.' });
  }
  const { civilId, certificateLevel } = confirmation;
  return { civilId, register, acr: contextClassOf(certificateLevel) };
}
