import type { CertificateType } from '../../domain/certificate/events.ts';
import type {
  DeviceLink,
  Generation,
  Interaction,
  NestedRequest,
  SessionFlow,
  SessionStarted,
} from '../../domain/session/events.ts';
import { type CertificateLevel, meetsLevel } from '../../domain/shared/certificateLevel.ts';
import { type HashAlgorithm, verificationCode } from '../../domain/shared/digest.ts';
import type { PersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type {
  CertificateFact,
  CitizenFacts,
  DeviceFact,
  DeviceFacts,
  RelyingPartyFact,
} from '../ports/facts.ts';
import type { Randomness } from '../ports/randomness.ts';
import { createNoteSubsystem } from '../relyingParty/noteSubsystem.ts';
import type { RelyingParties } from '../relyingParty/relyingParties.ts';
import { keptCallbackUrl } from './callbackUrl.ts';
import type { Sessions } from './sessions.ts';

/** Whom a session is for. */
export type SessionTarget =
  | { readonly type: 'anyone' }
  | { readonly type: 'person'; readonly identifier: PersonIdentifier }
  | { readonly type: 'document'; readonly documentNumber: string };

/** What the citizen is asked to sign; base64 as sent, already checked. */
export type SessionContent =
  | {
      readonly kind: 'AUTHENTICATION';
      readonly rpChallenge: string;
      /** Null in a flat request. */
      readonly hashType: HashAlgorithm | null;
    }
  | { readonly kind: 'SIGNATURE'; readonly digest: string; readonly hashType: HashAlgorithm };

/** What only a nested request says. */
export type NestedWish = Pick<NestedRequest, 'signatureAlgorithm'> & {
  /** Base64, as sent. */
  readonly interactionsAsSent: string;
};

export interface StartSessionRequest {
  readonly relyingParty: RelyingPartyFact;
  readonly generation: Generation;
  /** Null in a flat request. */
  readonly nested: NestedWish | null;
  readonly flow: SessionFlow;
  readonly target: SessionTarget;
  readonly content: SessionContent;
  readonly relyingPartyName: string;
  readonly certificateLevel: CertificateLevel;
  readonly interactions: readonly Interaction[];
  /** As sent; see {@link keptCallbackUrl}. */
  readonly callbackUrl: string | null;
  readonly fileName: string | null;
  /** The relying party's subsystem; registered when it was not seen before. */
  readonly subsystem: string | null;
  /** ETSI identifier of the organization the citizen is to act for. */
  readonly onBehalfOf: string | null;
}

export interface StartSessionDependencies {
  readonly sessions: Sessions;
  readonly relyingParties: RelyingParties;
  readonly facts: CitizenFacts & DeviceFacts;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** How long the citizen may answer, ms. */
  readonly answerWindowMs: number;
  /** How long the relying party may read, ms from the start. */
  readonly readableMs: number;
  /** First field of nested authentications' payload (contract §4). */
  readonly scheme: string;
}

/**
 * Starts a session; resolved means durable.
 *
 * @throws Refusal PERSON_NOT_FOUND, DOCUMENT_NOT_FOUND, NO_SUITABLE_CERTIFICATE, REPRESENTATION_DENIED
 */
export type StartSession = (
  request: StartSessionRequest,
  contextOf: (sessionId: string) => CommandContext,
) => Promise<SessionStarted['data']>;

const TOKEN_LENGTH = 24;
const SECRET_BYTES = 18;
const SERVER_RANDOM_BYTES = 24;

export function createStartSession(dependencies: StartSessionDependencies): StartSession {
  const { sessions, facts, clock, randomness } = dependencies;
  const noteSubsystem = createNoteSubsystem(dependencies);

  return async (request, contextOf) => {
    if (request.onBehalfOf !== null) throw new Refusal('REPRESENTATION_DENIED');
    const now = clock.now();
    const owner = await findOwner(facts, request, now.toISOString());
    const sessionId = randomness.uuid();
    const context = contextOf(sessionId);
    const { relyingParty, subsystem } = request;
    if (subsystem !== null && !relyingParty.subsystems.includes(subsystem)) {
      await noteSubsystem(relyingParty.relyingPartyId, subsystem, context);
    }
    const after = (ms: number) => new Date(now.getTime() + ms).toISOString();
    const started: SessionStarted['data'] = {
      sessionId,
      flow: request.flow,
      generation: request.generation,
      relyingPartyId: relyingParty.relyingPartyId,
      relyingPartyName: request.relyingPartyName,
      subsystem,
      civilId: owner.civilId,
      documentNumber: owner.documentNumber,
      certificateLevel: request.certificateLevel,
      interactions: request.interactions,
      interactionsAsSent: request.nested?.interactionsAsSent ?? null,
      ...signedContent(request),
      callbackUrl:
        request.flow === 'DEVICE_LINK'
          ? keptCallbackUrl(request.callbackUrl, relyingParty.callbackHosts)
          : null,
      fileName: request.fileName,
      deviceLink: request.flow === 'DEVICE_LINK' ? makeDeviceLink(randomness) : null,
      nested: nestedRequest(request, dependencies),
      startedAt: now.toISOString(),
      answerBefore: after(dependencies.answerWindowMs),
      readableUntil: after(dependencies.readableMs),
    };
    await sessions.handleNew(sessionId, { type: 'StartSession', started }, context);
    return started;
  };
}

function signedContent({ content, nested }: StartSessionRequest) {
  const isAuthentication = content.kind === 'AUTHENTICATION';
  const signed = isAuthentication ? content.rpChallenge : content.digest;
  const vcType = nested === null ? 'alphaNumeric4' : 'alphaNumeric5';
  return {
    kind: content.kind,
    rpChallenge: isAuthentication ? signed : null,
    digest: isAuthentication ? null : signed,
    hashType: content.hashType,
    vcType,
    verificationCode: verificationCode(Buffer.from(signed, 'base64'), vcType),
  } as const;
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
    linkedSessionId: null,
  };
}

function makeDeviceLink(randomness: Randomness): DeviceLink {
  return {
    sessionToken: randomness.alphanumeric(TOKEN_LENGTH),
    sessionSecret: randomness.bytes(SECRET_BYTES).toString('base64'),
  };
}

interface Owner {
  readonly civilId: string | null;
  readonly documentNumber: string | null;
}

/** Who must answer, provided that one of their phones can: active, with a certificate in force of the level asked for. */
async function findOwner(
  facts: CitizenFacts & DeviceFacts,
  { target, content, certificateLevel }: StartSessionRequest,
  now: string,
): Promise<Owner> {
  const type = content.kind === 'AUTHENTICATION' ? 'AUTH' : 'SIGN';
  const canAnswer = (device: DeviceFact) =>
    isUsable(certificateOf(device, type), certificateLevel, now);
  switch (target.type) {
    case 'anyone':
      return { civilId: null, documentNumber: null };
    case 'person': {
      const citizen = await facts.citizen(target.identifier);
      if (citizen === null) throw new Refusal('PERSON_NOT_FOUND');
      const devices = await facts.activeDevicesOf(citizen.civilId);
      if (!devices.some(canAnswer)) throw noCertificate('The person', type, certificateLevel);
      return { civilId: citizen.civilId, documentNumber: null };
    }
    case 'document': {
      const device = await facts.device(target.documentNumber);
      if (device?.active !== true) throw new Refusal('DOCUMENT_NOT_FOUND');
      if (!canAnswer(device)) throw noCertificate('The device', type, certificateLevel);
      return { civilId: device.civilId, documentNumber: device.documentNumber };
    }
  }
}

function certificateOf(device: DeviceFact, type: CertificateType): CertificateFact {
  return type === 'AUTH' ? device.authentication : device.signing;
}

function isUsable(certificate: CertificateFact, minimum: CertificateLevel, now: string): boolean {
  return (
    certificate.status === 'VALID' &&
    certificate.notBefore <= now &&
    now < certificate.notAfter &&
    meetsLevel(certificate.level, minimum)
  );
}

function noCertificate(whose: string, type: CertificateType, level: CertificateLevel): Refusal {
  const purpose = type === 'AUTH' ? 'authentication' : 'signing';
  return new Refusal('NO_SUITABLE_CERTIFICATE', {
    detail: `${whose} has no ${purpose} certificate in force that is ${level} or above.`,
  });
}
