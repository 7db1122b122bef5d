import type { SigningCertificate } from '../../../application/certificate/querySigningCertificate.ts';
import type { PollResult } from '../../../application/session/pollSession.ts';
import { forgottenIdentity, type Identity } from '../../../domain/citizen/events.ts';
import type {
  NestedAnswer,
  SessionConfirmed,
  SessionStarted,
} from '../../../domain/session/events.ts';
import type { Outcome } from '../../../domain/session/session.ts';
import { signatureProtocol } from '../../../domain/session/signing.ts';
import { organizationEtsi } from '../../../domain/shared/etsi.ts';
import { FORGOTTEN } from '../../../domain/shared/personalData.ts';
import { hashNameOf } from './g2.ts';

// What goes out, in the generation its session was asked for in.

/**
 * The answer to a session-creating POST (specification, Session creation responses). A certificate choice shows no code.
 *
 * @param askedVcType as the request named it, which may be another name for the same form
 */
export function startedAnswer(
  started: SessionStarted['data'],
  deviceLinkBase: string,
  askedVcType: string | null,
): object {
  const { sessionId, deviceLink, verificationCode, vcType } = started;
  const hasCode = started.kind !== 'CERTIFICATE_CHOICE';
  if (deviceLink === null) {
    const vc = { type: askedVcType ?? vcType, value: verificationCode };
    return { sessionID: sessionId, ...(hasCode ? { vc } : {}) };
  }
  return {
    sessionID: sessionId,
    sessionToken: deviceLink.sessionToken,
    sessionSecret: deviceLink.sessionSecret,
    deviceLinkBase,
    ...(hasCode ? { vc: verificationCode } : {}),
  };
}

/** The answer to a certificate query. @param found null: the document cannot sign now */
export function certificateAnswer(found: SigningCertificate | null): object {
  if (found === null) return { state: 'DOCUMENT_UNUSABLE' };
  return { state: 'OK', cert: { value: found.certificate, certificateLevel: found.level } };
}

/** The polled session (contract §3). */
export function polledAnswer(result: PollResult): object {
  if (result.state === 'RUNNING') return { state: 'RUNNING' };
  const { started, outcome } = result.session;
  const { confirmation, chosen, endResult, documentNumber } = outcome;
  const answered = confirmation ?? chosen;
  const onBehalfOf = representation(started, result.right);
  if (answered === null) return refusedAnswer(started, outcome, onBehalfOf);
  return {
    state: 'COMPLETE',
    result: { endResult, documentNumber },
    ...protocol(started),
    ...(confirmation === null ? {} : { signature: signature(started, confirmation) }),
    cert: {
      value: result.certificate?.certificate ?? FORGOTTEN,
      certificateLevel: answered.certificateLevel,
    },
    ...(confirmation === null ? {} : { interactionTypeUsed: confirmation.interactionTypeUsed }),
    onBehalfOf,
    ...(started.kind === 'AUTHENTICATION'
      ? { person: person(answered.civilId, result.citizen?.identity ?? forgottenIdentity) }
      : {}),
  };
}

/** Whose phone it was is not told: with its number anybody who may sign learns the name in its certificate. */
function refusedAnswer(
  started: SessionStarted['data'],
  outcome: Outcome,
  onBehalfOf: object | null,
): object {
  const { endResult, refusedInteraction } = outcome;
  return {
    state: 'COMPLETE',
    result: {
      endResult,
      ...(refusedInteraction === null ? {} : { details: { interaction: refusedInteraction } }),
    },
    ...protocol(started),
    onBehalfOf,
  };
}

/** The organization represented, and by what right now. */
function representation(
  { onBehalfOf }: SessionStarted['data'],
  right: Extract<PollResult, { state: 'COMPLETE' }>['right'],
): object | null {
  if (onBehalfOf === null) return null;
  return {
    orgEtsi: organizationEtsi(onBehalfOf.register),
    orgName: onBehalfOf.name,
    role: right?.role ?? null,
    rightType: right?.rightType ?? null,
  };
}

/** Only nested answers name it. */
function protocol(started: SessionStarted['data']): object {
  const named = started.generation === 'G1' ? null : signatureProtocol(started);
  return named === null ? {} : { signatureProtocol: named };
}

function signature(
  { nested: asked }: SessionStarted['data'],
  { signature: value, signatureAlgorithm, nested }: SessionConfirmed['data'],
): object {
  if (asked === null || nested === null) return { value, signatureAlgorithm };
  const { serverRandom } = asked;
  const { userChallenge, flowType, pss } = nested;
  return {
    value,
    ...(serverRandom === null ? {} : { serverRandom }),
    ...(userChallenge === null ? {} : { userChallenge }),
    flowType,
    signatureAlgorithm,
    ...(pss === null ? {} : { signatureAlgorithmParameters: pssParameters(pss) }),
  };
}

/** RFC 8017 A.2.3, in the words of the wire. */
function pssParameters(pss: NonNullable<NestedAnswer['pss']>) {
  const hashAlgorithm = hashNameOf(pss.hashAlgorithm);
  return {
    hashAlgorithm,
    maskGenAlgorithm: { algorithm: 'id-mgf1', parameters: { hashAlgorithm } },
    saltLength: pss.saltLength,
    trailerField: '0xbc',
  };
}

/** Both sets of names: clients of either age read one of them. */
function person(civilId: string, identity: Identity): object {
  const { givenName, surname, givenNameLatin, surnameLatin, geId } = identity;
  return {
    firstName: givenName,
    lastName: surname,
    familyName: identity.familyName,
    firstNameEn: givenNameLatin,
    lastNameEn: surnameLatin,
    givenName,
    surname,
    givenNameEn: givenNameLatin,
    surnameEn: surnameLatin,
    civilId,
    regNo: identity.registrationNumber,
    birthDate: identity.birthDate,
    gender: identity.gender,
    ...(geId === null ? {} : { geID: geId }),
  };
}
