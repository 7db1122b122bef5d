import { authenticationPayload } from '../../domain/session/authenticationPayload.ts';
import { type DocumentSignature, singleRequests } from '../../domain/session/batch.ts';
import {
  deviceLinkTypes,
  type EndResult,
  type FailureResult,
  type FlowType,
  type NestedAnswer,
  type RefusalResult,
  refusalResults,
  type SessionStarted,
} from '../../domain/session/events.ts';
import {
  type Answerer,
  mayAnswer,
  type Session,
  type SessionCommand,
  type StartedSession,
} from '../../domain/session/session.ts';
import type { SentSignals } from '../../domain/session/riskSignals.ts';
import { pssParameters, type SigningMethod, signingMethod } from '../../domain/session/signing.ts';
import { meetsLevel } from '../../domain/shared/certificateLevel.ts';
import { acspV2Payload } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CertificateData, DeviceData } from '../ports/referenceData.ts';
import type { SignatureVerifier, SignedInput } from '../ports/signatureVerifier.ts';
import { certificateTypeFor, isInForce, type Sessions } from '../session/sessions.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';

type Started = SessionStarted['data'];

/** The answerer of this device. */
export function answererOf({ documentNumber, civilId }: DeviceData): Answerer {
  return { documentNumber, civilId };
}

/**
 * The session, when `isFor` accepts the device. The cache may be outdated (another process started or claimed it), so a
 * rejection is final only from the log.
 *
 * @throws Refusal SESSION_NOT_FOUND
 */
export async function loadSessionFor(
  sessions: Sessions,
  sessionId: string,
  isFor: (session: StartedSession) => boolean,
): Promise<StartedSession> {
  const started = (session: Session) =>
    session.status !== 'NONE' && isFor(session) ? session : undefined;
  const session =
    started((await sessions.load(sessionId)).state) ??
    started((await sessions.load(sessionId, { trusts: () => false })).state);
  if (session === undefined) throw new Refusal('SESSION_NOT_FOUND');
  return session;
}

/**
 * Checks that the device can answer this session with the certificate now.
 *
 * @throws Refusal CERTIFICATE_NOT_ACTIVE, NO_SUITABLE_CERTIFICATE
 */
function expectUsable(certificate: CertificateData, started: Started, now: Date): void {
  if (
    certificate.type !== certificateTypeFor(started.kind) ||
    // Null for a forgotten person.
    certificate.certificate === null ||
    !isInForce(certificate, now.toISOString())
  ) {
    throw new Refusal('CERTIFICATE_NOT_ACTIVE');
  }
  if (!meetsLevel(certificate.level, started.certificateLevel)) {
    throw new Refusal('NO_SUITABLE_CERTIFICATE');
  }
}

/** Signed fields chosen by the phone. */
interface PhoneParts {
  readonly interactionTypeUsed: string;
  /** Null in the answer to a flat request. */
  readonly flowType: FlowType | null;
  /** Null except in the answer to a nested authentication. */
  readonly userChallenge: string | null;
}

/** Flow types the phone may state: that of a signed link, or any for another link. */
function flowsOf({ started, claimedBy }: StartedSession): readonly FlowType[] {
  if (started.flow === 'NOTIFICATION') return ['Notification'];
  const signed = claimedBy?.deviceLinkType ?? null;
  return signed === null ? deviceLinkTypes : [signed];
}

/**
 * Recorded fields of the answer to a nested request; null for a flat one.
 *
 * @throws Refusal INVALID_REQUEST
 */
function nestedAnswer(
  session: StartedSession,
  { flowType, userChallenge }: PhoneParts,
  method: SigningMethod,
): NestedAnswer | null {
  const { started } = session;
  if (started.nested === null) return null;
  const flows = flowsOf(session);
  if (flowType === null || !flows.includes(flowType)) {
    throw fault('/flowType', `Must be ${flows.join(', ')} here.`);
  }
  const isAuthentication = started.kind === 'AUTHENTICATION';
  if (isAuthentication && userChallenge === null) {
    throw fault('/userChallenge', 'Required for a nested authentication.');
  }
  return {
    flowType,
    userChallenge: isAuthentication ? userChallenge : null,
    pss: pssParameters(method),
  };
}

/** @throws Refusal INVALID_REQUEST when the phone used an interaction the session does not offer */
function expectOffered({ interactions }: Started, used: string, pointer: string): void {
  if (interactions.some(({ type }) => type === used)) return;
  throw fault(pointer, 'Must be an interaction that the session offered.');
}

function fault(pointer: string, detail: string): Refusal {
  return new Refusal('INVALID_REQUEST', { errors: [{ pointer, detail }] });
}

/** The exact signed bytes (specification, Client library rules; contract §1, §4). */
export function signedInput(
  started: Started,
  certificate: CertificateData,
  { hash }: SigningMethod,
  parts: PhoneParts,
): SignedInput {
  const { kind, rpChallenge, digest, nested } = started;
  if (kind === 'SIGNATURE') return { digest: Buffer.from(digest ?? '', 'base64'), hash };
  if (nested === null) {
    const spki = Buffer.from(certificate.publicKey, 'base64');
    return { payload: acspV2Payload(Buffer.from(rpChallenge ?? '', 'base64'), spki), hash };
  }
  const payload = authenticationPayload({
    scheme: nested.scheme,
    serverRandom: nested.serverRandom ?? '',
    rpChallenge: rpChallenge ?? '',
    userChallenge: parts.userChallenge ?? '',
    relyingPartyName: started.relyingPartyName,
    // Requests have no broker.
    brokerName: '',
    interactions: started.interactionsAsSent ?? '',
    interactionTypeUsed: parts.interactionTypeUsed,
    initialCallbackUrl: nested.initialCallbackUrl ?? '',
    flowType: parts.flowType ?? 'Notification',
  });
  return { payload, hash };
}

/** The citizen's confirmation, as the phone sends it. */
export interface Confirmation extends PhoneParts {
  /** Verification code the phone derived from the signed data and the citizen compared. */
  readonly verificationCode: string;
  /** Raw bytes; ECDSA as a DER sequence; null: of a batch. */
  readonly signature: Buffer | null;
  /** Of a batch: one a document, in their order; null or omitted otherwise. */
  readonly signatures?: readonly Buffer[] | null;
  /** Signals of the phone that the citizen agrees to tell; null: none. */
  readonly riskSignals: SentSignals | null;
}

/** A signature of an answer, and what it must cover. */
interface AnsweredSignature {
  readonly signature: Buffer;
  readonly method: SigningMethod;
  readonly input: SignedInput;
}

/**
 * Signatures of an answer: one, or of a batch one a document, in their order.
 *
 * @throws Refusal INVALID_REQUEST unless there is one for each
 */
function signaturesOf(
  started: Started,
  certificate: CertificateData,
  confirmation: Confirmation,
): readonly [AnsweredSignature, ...AnsweredSignature[]] {
  const { signature, signatures } = confirmation;
  const given = started.documents === null ? signature && [signature] : signatures;
  const asked = singleRequests(started);
  if (given?.length !== asked.length) {
    throw started.documents === null
      ? fault('/signature', 'This session needs exactly one signature.')
      : fault('/signatures', `Must be ${asked.length} signatures, one for each document.`);
  }
  const [first, ...others] = asked.map((request, index) => {
    const method = signingMethod(request, certificate.keyType);
    const input = signedInput(request, certificate, method, confirmation);
    return { signature: given[index] ?? Buffer.alloc(0), method, input };
  });
  if (first === undefined) throw new Error('Invariant violated: a session asks for a signature.');
  return [first, ...others];
}

/** @throws Refusal SIGNATURE_INVALID */
async function expectSigned(
  verifier: SignatureVerifier,
  { publicKey }: CertificateData,
  { method, input, signature }: AnsweredSignature,
): Promise<void> {
  const form = { rsa: method.scheme === 'pss' ? 'pss' : 'pkcs1' } as const;
  if (!(await verifier.verify(publicKey, input, signature, form))) {
    throw new Refusal('SIGNATURE_INVALID');
  }
}

function recorded({ method, signature }: AnsweredSignature): DocumentSignature {
  return { value: signature.toString('base64'), signatureAlgorithm: method.signatureAlgorithm };
}

export interface ConfirmSessionDependencies {
  readonly sessions: Sessions;
  readonly signatureVerifier: SignatureVerifier;
  readonly clock: Clock;
  /** Time from a certificate's issue to its first qualified signature, ms; 0: none. */
  readonly signingCoolingMs: number;
}

/**
 * Confirms a session with a signature by the device's key, verified over the exact payload of this session. A wrong
 * signature is refused and the session stays RUNNING; a wrong code ends it with WRONG_VC.
 *
 * @returns the completed session
 * @throws Refusal SESSION_NOT_FOUND, INVALID_REQUEST, SIGNATURE_INVALID, CERTIFICATE_NOT_ACTIVE,
 * NO_SUITABLE_CERTIFICATE, SESSION_ALREADY_COMPLETE, SESSION_EXPIRED
 */
export async function confirmSession(
  { sessions, signatureVerifier, clock, signingCoolingMs }: ConfirmSessionDependencies,
  {
    device,
    sessionId,
    confirmation,
  }: {
    readonly device: DeviceData;
    readonly sessionId: string;
    readonly confirmation: Confirmation;
  },
  context: CommandContext,
): Promise<EndResult> {
  const by = answererOf(device);
  const session = await loadSessionFor(sessions, sessionId, (each) => mayAnswer(each, by));
  const { started } = session;
  const certificate = started.kind === 'AUTHENTICATION' ? device.authentication : device.signing;
  const signed = signaturesOf(started, certificate, confirmation);
  const [{ method, signature }] = signed;
  const nested = nestedAnswer(session, confirmation, method);
  // A complete session needs no verification: the decision below recognises a repetition.
  if (session.status === 'RUNNING' && confirmation.verificationCode === started.verificationCode) {
    expectOffered(started, confirmation.interactionTypeUsed, '/interactionTypeUsed');
    expectUsable(certificate, started, clock.now());
    if (started.kind === 'SIGNATURE') expectCooled(certificate, signingCoolingMs, clock.now());
    for (const each of signed) await expectSigned(signatureVerifier, certificate, each);
  }
  const { state } = await sessions.handle(
    sessionId,
    {
      type: 'ConfirmSession',
      by,
      verificationCode: confirmation.verificationCode,
      signature: signature.toString('base64'),
      signatureAlgorithm: method.signatureAlgorithm,
      documents: started.documents === null ? [] : signed.map(recorded),
      certificateSerial: certificate.serial,
      certificateLevel: certificate.level,
      interactionTypeUsed: confirmation.interactionTypeUsed,
      nested,
      riskSignals: confirmation.riskSignals,
      now: clock.now().toISOString(),
    },
    context,
  );
  if (state.status !== 'COMPLETE') throw new Error('Session not complete after its confirmation.');
  return state.outcome.endResult;
}

/**
 * Checks the cooling time of a new phone before its first qualified signature: it gives the citizen time to notice an
 * enrolment by somebody else.
 *
 * @throws Refusal NO_SUITABLE_CERTIFICATE
 */
function expectCooled(
  { level, notBefore }: Pick<CertificateData, 'level' | 'notBefore'>,
  coolingMs: number,
  now: Date,
): void {
  const from = new Date(Date.parse(notBefore) + coolingMs);
  if (!meetsLevel(level, 'QUALIFIED') || now >= from) return;
  const detail = `This phone is new. It can make qualified signatures from ${from.toISOString()} on.`;
  throw new Refusal('NO_SUITABLE_CERTIFICATE', { detail });
}

/** Reasons of a phone not to sign: the citizen's refusal, or the phone's own. */
export const phoneReasons = [
  ...refusalResults,
  'WRONG_VC',
  'DOCUMENT_UNUSABLE',
  'PROTOCOL_FAILURE',
  'REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP',
  'EXPECTED_LINKED_SESSION',
] as const satisfies readonly EndResult[];

export type PhoneReason = (typeof phoneReasons)[number];

/**
 * Ends a session without a signature.
 *
 * @returns the completed session
 * @throws Refusal SESSION_NOT_FOUND, INVALID_REQUEST, SESSION_ALREADY_COMPLETE, SESSION_EXPIRED
 */
export async function refuseSession(
  { sessions, clock }: { readonly sessions: Sessions; readonly clock: Clock },
  {
    device,
    sessionId,
    reason,
    interaction,
  }: {
    readonly device: DeviceData;
    readonly sessionId: string;
    readonly reason: PhoneReason;
    /** The type of the interaction the citizen refused; null: the first one offered. */
    readonly interaction: string | null;
  },
  context: CommandContext,
): Promise<EndResult> {
  const by = answererOf(device);
  const { started } = await loadSessionFor(sessions, sessionId, (each) => mayAnswer(each, by));
  if (interaction !== null) expectOffered(started, interaction, '/interaction');
  const refused = interaction ?? started.interactions[0]?.type ?? null;
  const now = clock.now().toISOString();
  const command: SessionCommand = isRefusalResult(reason)
    ? {
        type: 'RefuseSession',
        by,
        endResult: reason,
        interaction: reason === 'USER_REFUSED_INTERACTION' ? refused : null,
        now,
      }
    : { type: 'FailSession', by, endResult: reason, now };
  const { state } = await sessions.handle(sessionId, command, context);
  if (state.status !== 'COMPLETE') throw new Error('Session not complete after its refusal.');
  return state.outcome.endResult;
}

function isRefusalResult(reason: RefusalResult | FailureResult): reason is RefusalResult {
  return (refusalResults as readonly string[]).includes(reason);
}

/**
 * Answers a certificate choice with the device's signing certificate, without a signature.
 *
 * @returns the completed session
 * @throws Refusal SESSION_NOT_FOUND, INVALID_REQUEST when the session asks for a signature, CERTIFICATE_NOT_ACTIVE,
 * NO_SUITABLE_CERTIFICATE, SESSION_ALREADY_COMPLETE, SESSION_EXPIRED
 */
export async function chooseCertificate(
  { sessions, clock }: { readonly sessions: Sessions; readonly clock: Clock },
  { device, sessionId }: { readonly device: DeviceData; readonly sessionId: string },
  context: CommandContext,
): Promise<EndResult> {
  const by = answererOf(device);
  const session = await loadSessionFor(sessions, sessionId, (each) => mayAnswer(each, by));
  const now = clock.now();
  const { serial, level } = device.signing;
  if (session.status === 'RUNNING' && session.started.kind === 'CERTIFICATE_CHOICE') {
    expectUsable(device.signing, session.started, now);
  }
  const { state } = await sessions.handle(
    sessionId,
    {
      type: 'ChooseCertificate',
      by,
      certificateSerial: serial,
      certificateLevel: level,
      now: now.toISOString(),
    },
    context,
  );
  if (state.status !== 'COMPLETE')
    throw new Error('Session not complete after a certificate choice.');
  return state.outcome.endResult;
}
