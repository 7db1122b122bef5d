import { sessionSecretDigest } from '../../domain/session/deviceLink.ts';
import type { EndResult, FlowType } from '../../domain/session/events.ts';
import type { CompleteSession, StartedSession } from '../../domain/session/session.ts';
import { signingMethod } from '../../domain/session/signing.ts';
import { type CertificateLevel, meetsLevel } from '../../domain/shared/certificateLevel.ts';
import { equalSecrets, sha256 } from '../../domain/shared/digest.ts';
import { isRefusal } from '../../domain/shared/refusal.ts';
import { signedInput } from '../device/sessionAnswer.ts';
import type { CertificateReader } from '../ports/certificateReader.ts';
import type { Clock } from '../ports/clock.ts';
import type { CertificateData } from '../ports/referenceData.ts';
import type { LoginChannel, LoginTicket } from './ports/loginTickets.ts';
import type { SignatureVerifier } from '../ports/signatureVerifier.ts';
import type { PollResult, PollSession, Sessions } from '../session/sessions.ts';
import { isInForce } from '../session/sessions.ts';
import type { LoginChallenges } from './loginChallenge.ts';
import { boundTo, type LoginTerms } from './startLogin.ts';

/** A verified login; the represented organization is chosen afterwards. */
export interface ProvenLogin {
  readonly civilId: string;
  readonly sessionId: string;
  /** Of the certificate that answered. */
  readonly certificateLevel: CertificateLevel;
}

/** Parameters returned by the app, as received; null: missing or repeated. */
export interface AppReturn {
  readonly state: string | null;
  readonly sessionSecretDigest: string | null;
  readonly userChallengeVerifier: string | null;
}

/** State of a login. */
export type LoginState =
  | { readonly state: 'RUNNING'; readonly session: StartedSession }
  /** Answered by the phone; the browser has not returned from the app yet. */
  | { readonly state: 'AWAY'; readonly session: StartedSession }
  | { readonly state: 'PROVEN'; readonly login: ProvenLogin }
  /** `NOT_BELIEVED`: the session's result does not prove the identity; `OVER`: it is no longer readable. */
  | { readonly state: 'FAILED'; readonly endResult: EndResult | 'NOT_BELIEVED' | 'OVER' };

export interface LoginOutcomeDependencies {
  readonly sessions: Pick<Sessions, 'load'>;
  readonly pollSession: PollSession;
  readonly signatureVerifier: SignatureVerifier;
  readonly certificates: Pick<CertificateReader, 'leadsToRoot'>;
  readonly challenges: Pick<LoginChallenges, 'isOf'>;
  readonly clock: Clock;
}

/** Long-poll options. */
export interface LoginWait {
  readonly timeoutMs: number;
  /** Ends the wait early. */
  readonly onGone: (callback: () => void) => () => void;
}

export interface LoginOutcome {
  /**
   * State of the login, now or after waiting at most `timeoutMs` for its end.
   *
   * @param wait omitted: no wait
   */
  loginState(terms: LoginTerms, ticket: LoginTicket, wait?: LoginWait): Promise<LoginState>;
  /**
   * Verifies that this browser returns from the app with the phone that answered (contract §5): `state` and
   * `sessionSecretDigest` match this session, `userChallengeVerifier` the signed data.
   */
  isReturn(ticket: LoginTicket, returned: AppReturn): Promise<boolean>;
}

/** Signed flow type of each channel. */
const flows: Readonly<Record<LoginChannel, FlowType>> = {
  push: 'Notification',
  qr: 'QR',
  app: 'Web2App',
};

const atOnce = { timeoutMs: 0, onGone: () => () => undefined };

/** Follows the sessions of logins and verifies their answers as strictly as a relying party's library does. */
export function createLoginOutcome(dependencies: LoginOutcomeDependencies): LoginOutcome {
  const { sessions, pollSession, signatureVerifier, certificates, challenges, clock } =
    dependencies;

  async function signatureHolds(
    { started, outcome }: CompleteSession,
    certificate: CertificateData,
  ): Promise<boolean> {
    const { confirmation } = outcome;
    if (confirmation === null) return false;
    const { nested, interactionTypeUsed } = confirmation;
    const method = signingMethod(started, certificate.keyType);
    const input = signedInput(started, certificate, method, {
      interactionTypeUsed,
      flowType: nested?.flowType ?? null,
      userChallenge: nested?.userChallenge ?? null,
    });
    const form = { rsa: method.scheme === 'pss' ? 'pss' : 'pkcs1' } as const;
    const signature = Buffer.from(confirmation.signature, 'base64');
    return signatureVerifier.verify(certificate.publicKey, input, signature, form);
  }

  function certificateHolds(certificate: CertificateData, { minimumLevel }: LoginTerms) {
    const now = clock.now();
    return (
      certificate.type === 'AUTH' &&
      certificate.certificate !== null &&
      isInForce(certificate, now.toISOString()) &&
      meetsLevel(certificate.level, minimumLevel) &&
      certificates.leadsToRoot(Buffer.from(certificate.certificate, 'base64'), now)
    );
  }

  /** True when its challenge was made for this login. */
  function isOfLogin({ started: { kind, rpChallenge } }: CompleteSession, terms: LoginTerms) {
    return kind === 'AUTHENTICATION' && challenges.isOf(boundTo(terms), rpChallenge ?? '');
  }

  async function proven(
    terms: LoginTerms,
    { channel }: LoginTicket,
    { session, certificate, citizen }: Extract<PollResult, { state: 'COMPLETE' }>,
  ): Promise<LoginState> {
    const { started, outcome } = session;
    const { confirmation, endResult } = outcome;
    if (endResult !== 'OK') return { state: 'FAILED', endResult };
    const notBelieved = { state: 'FAILED', endResult: 'NOT_BELIEVED' } as const;
    if (confirmation === null || certificate === null || citizen === null) return notBelieved;
    const isRight =
      isOfLogin(session, terms) &&
      confirmation.nested?.flowType === flows[channel] &&
      certificate.civilId === confirmation.civilId &&
      certificateHolds(certificate, terms) &&
      (await signatureHolds(session, certificate));
    if (!isRight) return notBelieved;
    return {
      state: 'PROVEN',
      login: {
        civilId: confirmation.civilId,
        sessionId: started.sessionId,
        certificateLevel: certificate.level,
      },
    };
  }

  async function startedSession(sessionId: string): Promise<StartedSession | null> {
    // Another process may have completed it.
    const { state } = await sessions.load(sessionId, {
      trusts: ({ status }) => status === 'COMPLETE',
    });
    return state.status === 'NONE' ? null : state;
  }

  return {
    loginState: async (terms, ticket, wait = atOnce) => {
      const { sessionId, awaitedState } = ticket;
      const { relyingPartyId } = terms;
      const over = { state: 'FAILED', endResult: 'OVER' } as const;
      try {
        const result = await pollSession({
          sessionId,
          relyingPartyId,
          openIdLogin: true,
          ...wait,
        });
        if (result.state === 'RUNNING') {
          const session = await startedSession(sessionId);
          return session === null ? over : { state: 'RUNNING', session };
        }
        const isAway = awaitedState !== null && result.session.outcome.endResult === 'OK';
        if (isAway) return { state: 'AWAY', session: result.session };
        return await proven(terms, ticket, result);
      } catch (error) {
        if (isRefusal(error, 'SESSION_NOT_FOUND')) return over;
        throw error;
      }
    },
    isReturn: async (ticket, returned) => {
      const session = await startedSession(ticket.sessionId);
      return session?.status === 'COMPLETE' && fits(session, ticket, returned);
    },
  };
}

/** Compares each in constant time. */
function fits(
  { started, outcome }: CompleteSession,
  { awaitedState }: LoginTicket,
  returned: AppReturn,
): boolean {
  const secret = started.deviceLink?.sessionSecret;
  const userChallenge = outcome.confirmation?.nested?.userChallenge;
  if (awaitedState === null || secret === undefined || typeof userChallenge !== 'string') {
    return false;
  }
  const challenge = sha256(returned.userChallengeVerifier ?? '').toString('base64url');
  return (
    equalSecrets(returned.state ?? '', awaitedState) &&
    equalSecrets(returned.sessionSecretDigest ?? '', sessionSecretDigest(secret)) &&
    equalSecrets(challenge, userChallenge)
  );
}
