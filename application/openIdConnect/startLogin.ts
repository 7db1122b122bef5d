import type { Interaction } from '../../domain/session/events.ts';
import { type PersonIdentifier, readPersonIdentifier } from '../../domain/shared/etsi.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { RelyingPartyFact, RelyingPartyFacts } from '../ports/facts.ts';
import type { LoginChannel, LoginTicket } from '../ports/loginTickets.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { LoginChallenges } from './loginChallenge.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import type { SessionTarget } from '../session/sessionOwner.ts';
import type { StartSession } from '../session/startSession.ts';

/** What a login is for. */
export interface LoginTerms {
  /** Of the interaction. */
  readonly uid: string;
  /** In whose name the citizen is asked. */
  readonly relyingPartyId: string;
  /** The least level of the certificate that answers. */
  readonly minimumLevel: CertificateLevel;
}

/** What a person chose on the login page. */
export interface LoginWish {
  readonly channel: LoginChannel;
  /** Civil id or registration number as typed; only of a push. */
  readonly identifier: string | null;
  /** What the phone shows; cut to what a phone has room for. */
  readonly text: string;
}

export interface StartLoginDependencies {
  readonly startSession: StartSession;
  readonly facts: RelyingPartyFacts;
  readonly randomness: Randomness;
  /** Counts a push to a person whom whoever knows the number may name. @throws RateLimited */
  readonly admitPush: (identifier: string) => Promise<void>;
  /** Counts a session against the relying party's limit. @throws RateLimited */
  readonly admit: (relyingParty: RelyingPartyFact) => Promise<void>;
  readonly challenges: Pick<LoginChallenges, 'make'>;
  /** Where the app returns to with a login; no query. */
  readonly returnAddress: (uid: string) => string;
}

/**
 * Starts the eID session of a login under the client's relying party; resolved means durable.
 *
 * @throws Refusal PERSON_NOT_FOUND: unknown, or without a phone that could answer, which is not told apart;
 *   INVALID_REQUEST: neither civil id nor registration number; RATE_LIMITED; PERMISSION_DENIED: the relying party may not
 */
export type StartLogin = (
  terms: LoginTerms,
  wish: LoginWish,
  contextOf: (sessionId: string) => CommandContext,
) => Promise<LoginTicket>;

const STATE_LENGTH = 32;

export function createStartLogin(dependencies: StartLoginDependencies): StartLogin {
  const { startSession, randomness, challenges, admit, admitPush, returnAddress } = dependencies;

  return async (
    { uid, relyingPartyId, minimumLevel },
    { channel, identifier, text },
    contextOf,
  ) => {
    const relyingParty = await expectPermitted(dependencies.facts, relyingPartyId);
    const target = targetOf(channel, identifier);
    if (target.type === 'person') await admitPush(nameOf(target.identifier));
    await admit(relyingParty);
    const awaitedState = channel === 'app' ? randomness.alphanumeric(STATE_LENGTH) : null;
    const interactions = shown(channel, text);
    const { sessionId } = await startSession(
      {
        relyingParty,
        generation: 'G2',
        nested: {
          interactionsAsSent: Buffer.from(JSON.stringify(interactions)).toString('base64'),
          signatureAlgorithm: 'rsassa-pss',
          linkedSessionId: null,
        },
        flow: channel === 'push' ? 'NOTIFICATION' : 'DEVICE_LINK',
        target,
        content: {
          kind: 'AUTHENTICATION',
          rpChallenge: challenges.make(uid),
          hashType: 'SHA512',
        },
        relyingPartyName: relyingParty.name,
        certificateLevel: minimumLevel,
        interactions,
        ...{ vcType: null, fileName: null, subsystem: null, onBehalfOf: null },
        callbackUrl: awaitedState === null ? null : `${returnAddress(uid)}?state=${awaitedState}`,
        returnsToOwnPage: true,
      },
      contextOf,
    ).catch(unrevealing);
    return { sessionId, channel, awaitedState };
  };
}

async function expectPermitted(facts: RelyingPartyFacts, id: string): Promise<RelyingPartyFact> {
  const party = await facts.relyingParty(id);
  if (party?.active === true && (party.firstParty || party.permissions.includes('AUTH'))) {
    return party;
  }
  throw new Refusal('PERMISSION_DENIED', { detail: 'The relying party may not authenticate.' });
}

function targetOf(channel: LoginChannel, identifier: string | null): SessionTarget {
  if (channel !== 'push') return { type: 'anyone' };
  const person = readPersonIdentifier(identifier ?? '');
  if (person !== null) return { type: 'person', identifier: person };
  const detail = 'Neither a civil id nor a registration number.';
  throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/id', detail }] });
}

function nameOf(identifier: PersonIdentifier): string {
  return identifier.type === 'civilId' ? identifier.civilId : identifier.registrationNumber;
}

/**
 * A push can be sent by anybody who knows the number, so its code is to be picked among others; who opens a link is at
 * the browser already.
 */
function shown(channel: LoginChannel, text: string): readonly Interaction[] {
  const cut = (length: number) => Array.from(text).slice(0, length).join('');
  const plain = { type: 'displayTextAndPIN', displayText60: cut(60) } as const;
  if (channel !== 'push') return [plain];
  return [
    { type: 'confirmationMessageAndVerificationCodeChoice', displayText200: cut(200) },
    plain,
  ];
}

/** Whether somebody is enrolled, and with what, is nobody's business on a public page. */
function unrevealing(error: unknown): never {
  if (isRefusal(error, 'NO_SUITABLE_CERTIFICATE')) throw new Refusal('PERSON_NOT_FOUND');
  throw error;
}
