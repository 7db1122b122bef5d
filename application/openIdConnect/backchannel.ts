import type {
  CitizenReferenceData,
  DeviceReferenceData,
  RelyingPartyReferenceData,
} from '../ports/referenceData.ts';
import type { Clock } from '../ports/clock.ts';
import { delayAfter } from '../delivery.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Jobs } from '../reactors/ports/jobs.ts';
import { readPersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { OidcAccessLog } from './aggregates.ts';
import { authenticationMethods, contextClassOf, levelFor } from './levels.ts';
import type { LoginOutcome, LoginState } from './loginOutcome.ts';
import type { Backchannel, BackchannelState } from './ports/backchannel.ts';
import type { OidcHost } from './ports/oidcHost.ts';
import type { OidcState } from './ports/oidcState.ts';
import type { FindClient } from './servedClients.ts';
import type { LoginTerms, StartLogin, StartLoginDependencies } from './startLogin.ts';

export interface BackchannelDependencies {
  readonly findClient: FindClient;
  readonly startLogin: StartLogin;
  readonly outcome: Pick<LoginOutcome, 'loginState'>;
  readonly referenceData: CitizenReferenceData & DeviceReferenceData & RelyingPartyReferenceData;
  readonly admit: StartLoginDependencies['admit'];
  readonly consentedScopes: OidcHost['consentedScopes'];
  readonly state: Pick<OidcState, 'put' | 'find' | 'findByUid'>;
  readonly accessLog: OidcAccessLog;
  readonly clock: Clock;
  readonly jobs: Pick<Jobs, 'enqueue' | 'handle'>;
  /** Gives the result of an ended request to the provider, which pings its client. @throws Error when it was not taken */
  readonly ping: (id: string) => Promise<void>;
  /** Called for every completed login, for the metrics. */
  readonly onLogin: (result: string) => void;
  /** Called with each ping that was not taken. */
  readonly onUntaken: (clientId: string, cause: unknown) => void;
}

/** A request that runs, sealed under the citizen's key. */
interface Kept extends LoginTerms {
  readonly id: string;
  readonly clientId: string;
  readonly accountId: string;
  readonly sessionId: string;
}

const KIND = 'BackchannelLogin';
const JOB = 'backchannelPing';

/** Time between two looks at a session whose client is pinged, and after the first ping that was not taken, ms. */
const LOOK_MS = 1000;
const LONGEST_DELAY_MS = 60_000;

/** Backchannel authentication over the sessions, limits and audit that every login has. */
export function createBackchannel(dependencies: BackchannelDependencies): Backchannel {
  const { findClient, referenceData, state, clock, jobs, accessLog } = dependencies;

  async function accountOf(loginHint: string): Promise<string | null> {
    const person = readPersonIdentifier(loginHint);
    if (person !== null) return (await referenceData.citizen(person))?.civilId ?? null;
    const device = await referenceData.device(loginHint);
    return device?.active === true ? device.civilId : null;
  }

  /** Counts a number that is nobody's for the relying party that tried it. @throws Refusal RATE_LIMITED */
  async function countGuess(clientId: string): Promise<void> {
    const client = await findClient(clientId);
    const party = client && (await referenceData.relyingParty(client.relyingPartyId));
    if (party) await dependencies.admit(party);
  }

  async function kept(id: string): Promise<Kept | null> {
    const found = await state.find(KIND, id, clock.now());
    return found === null ? null : (found.payload as unknown as Kept);
  }

  async function proven(
    request: Kept,
    { login }: Extract<LoginState, { state: 'PROVEN' }>,
  ): Promise<BackchannelState> {
    const { accountId, clientId, relyingPartyId, sessionId } = request;
    if (login.civilId !== accountId) return { state: 'FAILED', endResult: 'NOT_BELIEVED' };
    const acr = contextClassOf(login.certificateLevel);
    const loggedInAt = clock.now().toISOString();
    const data = { clientId, civilId: login.civilId, sessionId, acr, register: null, loggedInAt };
    await accessLog({ type: 'CitizenLoggedIn', data }, contextOf(relyingPartyId, sessionId));
    dependencies.onLogin('OK');
    const consented = await dependencies.consentedScopes(accountId, clientId);
    const scopes = [...new Set(['openid', ...consented])];
    return { state: 'PROVEN', login: { accountId, acr, amr: authenticationMethods, scopes } };
  }

  function reachedBy({ sessionId, ...terms }: LoginTerms & Pick<Kept, 'sessionId'>) {
    const ticket = { sessionId, channel: 'push', awaitedState: null } as const;
    return dependencies.outcome.loginState(terms, ticket);
  }

  async function stateOf(id: string): Promise<BackchannelState> {
    const request = await kept(id);
    if (request === null) return { state: 'FAILED', endResult: 'OVER' };
    const reached = await reachedBy(request);
    if (reached.state === 'PROVEN') return proven(request, reached);
    return reached.state === 'FAILED' ? reached : { state: 'RUNNING' };
  }

  /** Looks at the session until it has ended; then the client is pinged until it takes it or the request is over. */
  jobs.handle(JOB, async ({ sessionId, looks, failures }) => {
    const found = await state.findByUid(KIND, String(sessionId), clock.now());
    if (found === null) return;
    const { id, clientId, ...request } = found.payload as unknown as Kept;
    const reached = await reachedBy(request);
    if (reached.state === 'RUNNING') {
      return enqueueLook(request.sessionId, { looks: Number(looks) + 1, failures: 0 }, LOOK_MS);
    }
    try {
      await dependencies.ping(id);
    } catch (cause) {
      dependencies.onUntaken(clientId, cause);
      const next = { looks: Number(looks), failures: Number(failures) + 1 };
      await enqueueLook(
        request.sessionId,
        next,
        delayAfter(next.failures, LOOK_MS, LONGEST_DELAY_MS),
      );
    }
  });

  function enqueueLook(
    sessionId: string,
    { looks, failures }: { readonly looks: number; readonly failures: number },
    delayMs: number,
  ): Promise<void> {
    return jobs.enqueue({
      name: JOB,
      id: `${JOB}/${sessionId}/${looks}/${failures}`,
      payload: { sessionId, looks, failures },
      runAt: new Date(clock.now().getTime() + delayMs),
    });
  }

  return {
    async accountOf(clientId, loginHint) {
      const found = await accountOf(loginHint);
      if (found === null) await countGuess(clientId);
      return found;
    },
    stateOf,
    async begin({ id, clientId, loginHint, bindingMessage, acrValues, expiresAt }) {
      const client = await findClient(clientId);
      const accountId = await accountOf(loginHint);
      if (client === null) throw new Refusal('PERMISSION_DENIED');
      if (accountId === null) throw new Refusal('PERSON_NOT_FOUND');
      const { relyingPartyId, settings } = client;
      const minimumLevel = levelFor(acrValues);
      const terms = { uid: id, relyingPartyId, minimumLevel, payment: null };
      const { ticket, verificationCode } = await dependencies.startLogin(
        terms,
        {
          channel: 'push',
          identifier: loginHint,
          takesDocuments: true,
          client: settings.name,
          text: (name) => bindingMessage ?? name,
        },
        (session) => contextOf(relyingPartyId, session),
      );
      const { sessionId } = ticket;
      await state.put({
        kind: KIND,
        id,
        payload: { ...terms, id, clientId, accountId, sessionId },
        civilId: accountId,
        clientId,
        grantId: null,
        uid: sessionId,
        expiresAt,
      });
      if (settings.backchannelTokenDeliveryMode === 'ping')
        await enqueueLook(sessionId, { looks: 0, failures: 0 }, LOOK_MS);
      return verificationCode;
    },
  };
}

/** The relying party asks, through its client. */
function contextOf(relyingPartyId: string, correlationId: string): CommandContext {
  return {
    actor: { kind: 'relyingParty', id: relyingPartyId },
    correlationId,
    causationId: 'backchannel authentication',
    requestId: null,
    ip: null,
  };
}
