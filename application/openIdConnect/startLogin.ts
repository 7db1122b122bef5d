import type { PaymentInitiation } from '../../domain/oidcClient/paymentInitiation.ts';
import type { Interaction } from '../../domain/session/events.ts';
import { readPersonIdentifier } from '../../domain/shared/etsi.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { shortened } from '../../domain/shared/shortenedText.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { RelyingPartyData, RelyingPartyReferenceData } from '../ports/referenceData.ts';
import type { LoginChannel, LoginTicket } from './ports/loginTickets.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { LoginChallenges } from './loginChallenge.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import type { SessionTarget } from '../session/sessions.ts';
import type { StartSession } from '../session/startSession.ts';

/** Terms of a login, from the client's request. */
export interface LoginTerms {
  /** Of the interaction. */
  readonly uid: string;
  /** Relying party in whose name the citizen is asked. */
  readonly relyingPartyId: string;
  /** Minimum level of the answering certificate. */
  readonly minimumLevel: CertificateLevel;
  /** Payment that the login authorizes; null: none. */
  readonly payment: PaymentInitiation | null;
}

/**
 * Text that the challenge of a login is made of: an answer counts for this interaction alone, and for this payment in it
 * (dynamic linking, Delegated Regulation (EU) 2018/389 article 5).
 */
export function boundTo({ uid, payment }: Pick<LoginTerms, 'uid' | 'payment'>): string {
  return payment === null ? uid : `${uid}\0${JSON.stringify(payment)}`;
}

/** Choices on the login page. */
export interface LoginWish {
  readonly channel: LoginChannel;
  /** Civil id or registration number as typed; push only. */
  readonly identifier: string | null;
  /** Lets the identifier be the document number of a phone. */
  readonly takesDocuments?: true;
  /** Name of the client, shortened to the limit of the phone's text. */
  readonly client: string;
  /** Text shown by the phone. */
  readonly text: (client: string) => string;
}

export interface StartLoginDependencies {
  readonly startSession: StartSession;
  readonly referenceData: RelyingPartyReferenceData;
  readonly randomness: Randomness;
  /** Counts a session against the relying party's limit. @throws RateLimited */
  readonly admit: (relyingParty: RelyingPartyData) => Promise<void>;
  readonly challenges: Pick<LoginChallenges, 'make'>;
  /** Return address of the app for a login; no query. */
  readonly returnAddress: (uid: string) => string;
}

/**
 * Starts the eID session of a login under the client's relying party; resolved means durable.
 *
 * @throws Refusal PERSON_NOT_FOUND: unknown, or without a usable phone, indistinguishably; INVALID_REQUEST: neither
 * civil id nor registration number; RATE_LIMITED; PERMISSION_DENIED: the relying party may not
 */
export type StartLogin = (
  terms: LoginTerms,
  wish: LoginWish,
  contextOf: (sessionId: string) => CommandContext,
) => Promise<StartedLogin>;

export interface StartedLogin {
  readonly ticket: LoginTicket;
  readonly verificationCode: string;
}

const STATE_LENGTH = 32;

export function createStartLogin(dependencies: StartLoginDependencies): StartLogin {
  const { startSession, randomness, challenges, admit, returnAddress } = dependencies;

  return async (terms, { channel, identifier, takesDocuments, client, text }, contextOf) => {
    const { uid, relyingPartyId, minimumLevel, payment } = terms;
    const relyingParty = await expectPermitted(dependencies.referenceData, relyingPartyId);
    const target = targetOf(channel, identifier, takesDocuments === true);
    await admit(relyingParty);
    const awaitedState = channel === 'app' ? randomness.alphanumeric(STATE_LENGTH) : null;
    const shown = (limit: number) => text(shortened(client, limit - Array.from(text('')).length));
    const interactions =
      payment === null ? interactionsOf(channel, shown) : paymentInteractionsOf(channel, shown);
    const { sessionId, verificationCode } = await startSession(
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
          rpChallenge: challenges.make(boundTo(terms)),
          hashType: 'SHA512',
        },
        relyingPartyName: relyingParty.name,
        certificateLevel: minimumLevel,
        interactions,
        vcType: null,
        fileName: null,
        subsystem: null,
        onBehalfOf: null,
        callbackUrl: awaitedState === null ? null : `${returnAddress(uid)}?state=${awaitedState}`,
        openIdLogin: true,
      },
      contextOf,
    ).catch(unrevealing);
    return { ticket: { sessionId, channel, awaitedState }, verificationCode };
  };
}

async function expectPermitted(
  referenceData: RelyingPartyReferenceData,
  id: string,
): Promise<RelyingPartyData> {
  const party = await referenceData.relyingParty(id);
  if (party?.active === true && (party.firstParty || party.permissions.includes('AUTH'))) {
    return party;
  }
  throw new Refusal('PERMISSION_DENIED', { detail: 'The relying party may not authenticate.' });
}

function targetOf(
  channel: LoginChannel,
  identifier: string | null,
  takesDocuments: boolean,
): SessionTarget {
  if (channel !== 'push') return { type: 'anyone' };
  const person = readPersonIdentifier(identifier ?? '');
  if (person !== null) return { type: 'person', identifier: person };
  if (takesDocuments) return { type: 'document', documentNumber: identifier ?? '' };
  const detail = 'Must be a civil id or a registration number.';
  throw new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/id', detail }] });
}

/**
 * Interactions that the phone may show. A push can be triggered by anyone who knows the number, so its code must be
 * picked among others; a link is opened at the browser itself.
 */
function interactionsOf(
  channel: LoginChannel,
  text: (limit: number) => string,
): readonly Interaction[] {
  const shortest = text(60);
  const plain = { type: 'displayTextAndPIN', displayText60: shortest } as const;
  if (channel !== 'push') return [plain];
  return [
    { type: 'confirmationMessageAndVerificationCodeChoice', displayText200: text(200) },
    // A message of a client is shown whole or not at all.
    ...(Array.from(shortest).length > 60 ? [] : [plain]),
  ];
}

/**
 * Interactions that show a whole payment: amount, payee, account and reference need the long text (article 5 (1) (a)), for
 * which there is no shorter one to fall back on.
 */
function paymentInteractionsOf(
  channel: LoginChannel,
  text: (limit: number) => string,
): readonly Interaction[] {
  const type =
    channel === 'push' ? 'confirmationMessageAndVerificationCodeChoice' : 'confirmationMessage';
  return [{ type, displayText200: text(200) }];
}

/** Rethrows without telling apart who is enrolled with which level: the page is public. */
function unrevealing(error: unknown): never {
  if (isRefusal(error, 'NO_SUITABLE_CERTIFICATE')) throw new Refusal('PERSON_NOT_FOUND');
  throw error;
}
