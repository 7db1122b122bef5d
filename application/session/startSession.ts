import { registeredNameBeside } from '../../domain/relyingParty/names.ts';
import { subsystemOfSession } from '../../domain/relyingParty/subsystems.ts';
import { type BatchDocument, batchContent, storedBatch } from '../../domain/session/batch.ts';
import type {
  DeviceLink,
  Generation,
  Interaction,
  NestedRequest,
  OnBehalfOf,
  SessionFlow,
  SessionStarted,
} from '../../domain/session/events.ts';
import type { SignalsAsked } from '../../domain/session/riskSignals.ts';
import { isOf } from '../../domain/session/session.ts';
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
import { findOwner, type SessionTarget } from './sessions.ts';
import type { Sessions } from './sessions.ts';
import { isRefusal, Refusal } from '../../domain/shared/refusal.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import type { AccessLog } from '../organization/accessLog.ts';
import type { ExpectRepresentation } from '../organization/expectRepresentation.ts';

/** Content to be signed; base64 as sent, already validated. */
export type SessionContent =
  | {
      readonly kind: 'AUTHENTICATION';
      readonly rpChallenge: string;
      /** Null in a flat request. */
      readonly hashType: HashAlgorithm | null;
    }
  | { readonly kind: 'SIGNATURE'; readonly digest: string; readonly hashType: HashAlgorithm }
  /** Several documents, bounded by {@link batchSize}; of flat requests only. */
  | { readonly kind: 'SIGNATURE'; readonly documents: readonly BatchDocument[] }
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
  /**
   * True when the OpenID provider asks: `callbackUrl` is one of the platform's own pages, stored verbatim, and the relying
   * party reads nothing of the session; default false.
   */
  readonly openIdLogin?: boolean;
  readonly fileName: string | null;
  /** Signals of the phone that it asks for, with the permission for it; omitted or null: none. */
  readonly riskSignals?: SignalsAsked | null;
  /** The relying party's subsystem; a new one is registered. A merged one is replaced by its successor. */
  readonly subsystem: string | null;
  /** ETSI identifier of the represented organization. */
  readonly onBehalfOf: string | null;
  /** True when the logged-in citizen wants the push: refusals of others limit it not; default false. */
  readonly isCitizensWish?: boolean;
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
      openIdLogin: request.openIdLogin ?? false,
      riskSignals: request.riskSignals ?? null,
      ...signedContent(request),
    };
    await givenBackOnFailure(async () => {
      if (request.flow === 'NOTIFICATION' && civilId !== null) {
        const { isCitizensWish = false } = request;
        await dependencies.pushLimits.admit({ sessionId, civilId, relyingPartyId }, isCitizensWish);
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
  const { flow, callbackUrl, openIdLogin = false, relyingParty } = request;
  if (flow !== 'DEVICE_LINK') return null;
  if (openIdLogin) return callbackUrl;
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
  const documents = 'documents' in content ? content.documents : null;
  const rpChallenge = content.kind === 'AUTHENTICATION' ? content.rpChallenge : null;
  const digest = 'digest' in content ? content.digest : null;
  const shown = shownContent(rpChallenge ?? digest, documents);
  return {
    kind: content.kind,
    rpChallenge,
    digest,
    hashType: 'hashType' in content ? content.hashType : null,
    ...(documents === null ? notBatch : storedBatch(documents)),
    vcType,
    verificationCode: shown === null ? '' : verificationCode(shown, vcType),
  };
}

const notBatch = { documents: null, documentTexts: null };

/** Bytes that the verification code is computed from; null: there is nothing to sign. @param signed base64 */
function shownContent(
  signed: string | null,
  documents: readonly BatchDocument[] | null,
): Buffer | null {
  if (documents !== null) return batchContent(documents);
  return signed === null ? null : Buffer.from(signed, 'base64');
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

interface LinkingRequest {
  readonly relyingParty: { readonly relyingPartyId: string };
  readonly target: SessionTarget;
  readonly nested: { readonly linkedSessionId: string | null } | null;
}

/**
 * Checks that a linked signature continues a certificate choice of this relying party by device link, answered by this
 * very device.
 *
 * @throws Refusal SESSION_NOT_FOUND, INVALID_REQUEST
 */
async function expectChosenHere(
  sessions: Pick<Sessions, 'load'>,
  { relyingParty, target, nested }: LinkingRequest,
  now: Date,
): Promise<void> {
  const linkedSessionId = nested?.linkedSessionId ?? null;
  if (linkedSessionId === null) return;
  // Another process may have completed it: a cached RUNNING state proves nothing.
  const { state } = await sessions.load(linkedSessionId, {
    trusts: ({ status }) => status === 'COMPLETE',
  });
  if (
    state.status === 'NONE' ||
    !isOf(state, relyingParty.relyingPartyId) ||
    now.toISOString() >= state.started.readableUntil
  ) {
    throw new Refusal('SESSION_NOT_FOUND');
  }
  const chosen = state.status === 'COMPLETE' ? state.outcome.chosen : null;
  const documentNumber = target.type === 'document' ? target.documentNumber : null;
  if (state.started.flow !== 'DEVICE_LINK' || chosen?.documentNumber !== documentNumber) {
    const detail =
      'Must be a certificate choice by device link that ended with OK on this document.';
    throw new Refusal('INVALID_REQUEST', { errors: [{ pointer: '/linkedSessionID', detail }] });
  }
}

interface OnBehalfDependencies {
  readonly expectRepresentation: ExpectRepresentation;
  readonly accessLog: AccessLog;
}

/** A session requested on behalf of an organization. */
interface OnBehalfRequest {
  /** ETSI identifier of the organization, or its register. */
  readonly organization: string;
  /** Required answerer; null: whoever opens the link. */
  readonly civilId: string | null;
  readonly now: Date;
}

function invalid(detail: string): Refusal {
  return new Refusal('INVALID_REQUEST', { detail, errors: [{ pointer: '/onBehalfOf', detail }] });
}

/**
 * Checks the citizen's right to act for the organization; a missing right is recorded for the audit. A present one is
 * recorded by {@link recordOnBehalf}, once there is a session.
 *
 * @throws Refusal INVALID_REQUEST; as {@link ExpectRepresentation}
 */
async function expectOnBehalf(
  { expectRepresentation, accessLog }: OnBehalfDependencies,
  { organization: asked, civilId, now }: OnBehalfRequest,
  context: CommandContext,
): Promise<OnBehalfOf> {
  const register = readRegister(asked);
  if (register === null) throw invalid('Must be NTRMN-<national registration number>.');
  if (civilId === null)
    throw invalid('Name the person. The right is checked before the phone is asked.');
  const checkedAt = now.toISOString();
  const about = { register, civilId };
  try {
    const { organization, right } = await expectRepresentation(register, civilId, now);
    return { register, name: organization.name, rightType: right.rightType, role: right.role };
  } catch (error) {
    if (isRefusal(error)) {
      const data = { ...about, code: error.code, checkedAt };
      await accessLog({ type: 'OnBehalfDenied', data }, context);
    }
    throw error;
  }
}

/** Records for the audit that a session on behalf of an organization was allowed. */
async function recordOnBehalf(
  accessLog: AccessLog,
  { onBehalfOf, civilId, sessionId, startedAt }: SessionStarted['data'],
  context: CommandContext,
): Promise<void> {
  if (onBehalfOf === null || civilId === null) return;
  const data = { register: onBehalfOf.register, civilId, sessionId, checkedAt: startedAt };
  await accessLog({ type: 'OnBehalfAccepted', data }, context);
}
