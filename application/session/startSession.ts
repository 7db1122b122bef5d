import { registeredNameBeside } from '../../domain/relyingParty/names.ts';
import { subsystemOfSession } from '../../domain/relyingParty/subsystems.ts';
import type {
  DeviceLink,
  Generation,
  Interaction,
  NestedRequest,
  SessionFlow,
  SessionStarted,
} from '../../domain/session/events.ts';
import type { CertificateLevel } from '../../domain/shared/certificateLevel.ts';
import {
  type HashAlgorithm,
  verificationCode,
  type VerificationCodeType,
} from '../../domain/shared/digest.ts';
import { givenBackOnFailure } from '../attempts.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  CitizenReferenceData,
  DeviceReferenceData,
  RelyingPartyData,
} from '../ports/referenceData.ts';
import type { Randomness } from '../ports/randomness.ts';
import type { SessionTokens } from '../ports/sessionTokens.ts';
import { createNoteSubsystem } from '../relyingParty/noteSubsystem.ts';
import type { RelyingParties } from '../aggregates.ts';
import { acceptedCallbackUrl } from './callbackUrl.ts';
import type { PushLimits } from './pushLimits.ts';
import { expectChosenHere } from './linkedSession.ts';
import { expectOnBehalf, type OnBehalfDependencies, recordOnBehalf } from './onBehalf.ts';
import { findOwner, type SessionTarget } from './sessionOwner.ts';
import type { Sessions } from './sessions.ts';

/** Content to be signed; base64 as sent, already validated. */
export type SessionContent =
  | {
      readonly kind: 'AUTHENTICATION';
      readonly rpChallenge: string;
      /** Null in a flat request. */
      readonly hashType: HashAlgorithm | null;
    }
  | { readonly kind: 'SIGNATURE'; readonly digest: string; readonly hashType: HashAlgorithm }
  | { readonly kind: 'CERTIFICATE_CHOICE' };

/** Fields of nested requests only. */
export type NestedWish = Pick<NestedRequest, 'signatureAlgorithm' | 'linkedSessionId'> & {
  /** Base64, as sent. */
  readonly interactionsAsSent: string;
};

export interface StartSessionRequest {
  readonly relyingParty: RelyingPartyData;
  readonly generation: Generation;
  /** Null in a flat request. */
  readonly nested: NestedWish | null;
  readonly flow: SessionFlow;
  readonly target: SessionTarget;
  readonly content: SessionContent;
  readonly relyingPartyName: string;
  readonly certificateLevel: CertificateLevel;
  readonly interactions: readonly Interaction[];
  /** Form of the code shown with a push; null: that of the API generation. */
  readonly vcType: VerificationCodeType | null;
  /** Verbatim; see {@link acceptedCallbackUrl}. */
  readonly callbackUrl: string | null;
  /** True when the platform itself asks and `callbackUrl` is one of its own pages, stored verbatim; default false. */
  readonly returnsToOwnPage?: boolean;
  readonly fileName: string | null;
  /** The relying party's subsystem; a new one is registered. A merged one is replaced by its successor. */
  readonly subsystem: string | null;
  /** ETSI identifier of the represented organization. */
  readonly onBehalfOf: string | null;
  /** Predetermined id; omitted: generated. */
  readonly sessionId?: string;
}

export interface StartSessionDependencies extends OnBehalfDependencies {
  readonly sessions: Sessions;
  readonly relyingParties: RelyingParties;
  readonly referenceData: CitizenReferenceData & DeviceReferenceData;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly sessionTokens: Pick<SessionTokens, 'tokenFor'>;
  readonly pushLimits: Pick<PushLimits, 'admit'>;
  /** Time for the citizen to answer, ms. */
  readonly answerWindowMs: number;
  /** Time the relying party may read the result, ms from the start. */
  readonly readableMs: number;
  /** First field of nested authentications' payload (contract §4). */
  readonly scheme: string;
  /** True to allow http for loopback return addresses; default false. */
  readonly loopbackCallbacks?: boolean;
}

/**
 * Starts a session; resolved means durable.
 *
 * @throws Refusal PERSON_NOT_FOUND, DOCUMENT_NOT_FOUND, NO_SUITABLE_CERTIFICATE, SUBSYSTEM_NOT_ACTIVE; INVALID_REQUEST for a name
 *   that is not the relying party's; of a push RATE_LIMITED; of a linked signature SESSION_NOT_FOUND, INVALID_REQUEST; on behalf of an organization as {@link expectOnBehalf}
 */
export type StartSession = (
  request: StartSessionRequest,
  contextOf: (sessionId: string) => CommandContext,
) => Promise<SessionStarted['data']>;

const SECRET_BYTES = 18;
const SERVER_RANDOM_BYTES = 24;

export function createStartSession(dependencies: StartSessionDependencies): StartSession {
  const { sessions, referenceData, clock } = dependencies;
  const noteSubsystem = createNoteSubsystem(dependencies);

  return async (request, contextOf) => {
    const now = clock.now();
    const { target, certificateLevel, content } = request;
    const registeredName = registeredNameBeside(request.relyingPartyName, request.relyingParty);
    const wanted = { kind: content.kind, target, certificateLevel };
    const owner = await findOwner(referenceData, wanted, now.toISOString());
    await expectChosenHere(sessions, request, now);
    const sessionId = request.sessionId ?? dependencies.randomness.timeOrderedUuid();
    const context = contextOf(sessionId);
    const { relyingParty, onBehalfOf: organization } = request;
    const subsystem =
      request.subsystem && subsystemOfSession(relyingParty.subsystems, request.subsystem);
    const onBehalfOf =
      organization === null
        ? null
        : await expectOnBehalf(
            dependencies,
            { organization, civilId: owner.civilId, now },
            context,
          );
    const { civilId } = owner;
    const { relyingPartyId } = relyingParty;
    const after = (ms: number) => new Date(now.getTime() + ms).toISOString();
    const started: SessionStarted['data'] = {
      sessionId,
      flow: request.flow,
      generation: request.generation,
      relyingPartyId,
      relyingPartyName: request.relyingPartyName,
      registeredName,
      subsystem,
      civilId,
      documentNumber: owner.documentNumber,
      certificateLevel,
      interactions: request.interactions,
      interactionsAsSent: request.nested?.interactionsAsSent ?? null,
      callbackUrl: returnAddress(request, dependencies.loopbackCallbacks ?? false),
      fileName: request.fileName,
      onBehalfOf,
      deviceLink: request.flow === 'DEVICE_LINK' ? makeDeviceLink(sessionId, dependencies) : null,
      nested: nestedRequest(request, dependencies),
      startedAt: now.toISOString(),
      answerBefore: after(dependencies.answerWindowMs),
      readableUntil: after(dependencies.readableMs),
      ...signedContent(request),
    };
    await givenBackOnFailure(async () => {
      if (request.flow === 'NOTIFICATION' && civilId !== null) {
        await dependencies.pushLimits.admit({ sessionId, civilId, relyingPartyId });
      }
      if (subsystem !== null && !isKnown(relyingParty, subsystem)) {
        await noteSubsystem(relyingPartyId, subsystem, context);
      }
      await sessions.handleNew(sessionId, { type: 'StartSession', started }, context);
    });
    await recordOnBehalf(dependencies.accessLog, started, context);
    return started;
  };
}

function returnAddress(request: StartSessionRequest, loopbackOverHttp: boolean): string | null {
  const { flow, callbackUrl, returnsToOwnPage = false, relyingParty } = request;
  if (flow !== 'DEVICE_LINK') return null;
  if (returnsToOwnPage) return callbackUrl;
  return acceptedCallbackUrl(callbackUrl, {
    allowedHosts: relyingParty.callbackHosts,
    loopbackOverHttp,
  });
}

function isKnown({ subsystems }: RelyingPartyData, subsystem: string): boolean {
  return subsystems.some(({ name }) => name === subsystem);
}

function signedContent({ content, nested, flow, vcType: wanted }: StartSessionRequest) {
  const byGeneration = nested === null ? 'alphaNumeric4' : 'alphaNumeric5';
  const vcType = flow === 'NOTIFICATION' ? (wanted ?? byGeneration) : byGeneration;
  const rpChallenge = content.kind === 'AUTHENTICATION' ? content.rpChallenge : null;
  const digest = content.kind === 'SIGNATURE' ? content.digest : null;
  const signed = rpChallenge ?? digest;
  return {
    kind: content.kind,
    rpChallenge,
    digest,
    hashType: content.kind === 'CERTIFICATE_CHOICE' ? null : content.hashType,
    vcType,
    verificationCode:
      signed === null ? '' : verificationCode(Buffer.from(signed, 'base64'), vcType),
  };
}

function nestedRequest(
  { nested, content, callbackUrl }: StartSessionRequest,
  { randomness, scheme }: Pick<StartSessionDependencies, 'randomness' | 'scheme'>,
): NestedRequest | null {
  if (nested === null) return null;
  return {
    signatureAlgorithm: nested.signatureAlgorithm,
    scheme,
    serverRandom:
      content.kind === 'AUTHENTICATION'
        ? randomness.bytes(SERVER_RANDOM_BYTES).toString('base64')
        : null,
    initialCallbackUrl: callbackUrl,
    linkedSessionId: nested.linkedSessionId,
  };
}

function makeDeviceLink(
  sessionId: string,
  { randomness, sessionTokens }: Pick<StartSessionDependencies, 'randomness' | 'sessionTokens'>,
): DeviceLink {
  return {
    sessionToken: sessionTokens.tokenFor(sessionId),
    sessionSecret: randomness.bytes(SECRET_BYTES).toString('base64'),
  };
}
