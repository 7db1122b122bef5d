import type { SigningCertificate } from '../../../application/certificate/querySigningCertificate.ts';
import type { PollResult } from '../../../application/session/pollSession.ts';
import { forgottenIdentity, type Identity } from '../../../domain/citizen/events.ts';
import {
  type NestedAnswer,
  notMe,
  type SessionConfirmed,
  type SessionStarted,
} from '../../../domain/session/events.ts';
import type { Outcome } from '../../../domain/session/session.ts';
import { signatureProtocol } from '../../../domain/session/signing.ts';
import { organizationEtsi } from '../../../domain/shared/etsi.ts';
import { FORGOTTEN } from '../../../domain/shared/personalData.ts';
import { hashNameOf } from './g2.ts';

// Response bodies, in the generation of the session's request.

/**
 * Response to a session-creating POST (specification, Session creation responses). A certificate
 * choice shows no code.
 *
 * @param askedVcType format named by the request, possibly an alias
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

/** Response to a certificate query. @param found null: the document cannot sign now */
export function certificateAnswer(found: SigningCertificate | null): object {
  if (found === null) return { state: 'DOCUMENT_UNUSABLE' };
  return { state: 'OK', cert: { value: found.certificate, certificateLevel: found.level } };
}

/**
 * The polled session (contract §3).
 *
 * @param strictSmartId the client knows Smart-ID's end results only
 */
export function polledAnswer(result: PollResult, strictSmartId = false): object {
  if (result.state === 'RUNNING') return { state: 'RUNNING' };
  const { started, outcome } = result.session;
  const { confirmation, chosen, endResult, documentNumber } = outcome;
  const answered = confirmation ?? chosen;
  const onBehalfOf = representation(started, result.right);
  if (answered === null) return refusedAnswer(started, outcome, { onBehalfOf, strictSmartId });
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

/**
 * Response to a refused session, without the document number: it would lead to the name in the
 * signing certificate.
 */
function refusedAnswer(
  started: SessionStarted['data'],
  { endResult, refusedInteraction }: Outcome,
  { onBehalfOf, strictSmartId }: { onBehalfOf: object | null; strictSmartId: boolean },
): object {
  return {
    state: 'COMPLETE',
    result: {
      endResult: strictSmartId && endResult === notMe ? 'USER_REFUSED' : endResult,
      ...(refusedInteraction === null ? {} : { details: { interaction: refusedInteraction } }),
    },
    ...protocol(started),
    onBehalfOf,
  };
}

/** Organization represented, with the current right. */
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

/** Signature protocol, in the second generation only. */
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

/** RSASSA-PSS parameters (RFC 8017 A.2.3) with the names of the contract. */
function pssParameters(pss: NonNullable<NestedAnswer['pss']>) {
  const hashAlgorithm = hashNameOf(pss.hashAlgorithm);
  return {
    hashAlgorithm,
    maskGenAlgorithm: { algorithm: 'id-mgf1', parameters: { hashAlgorithm } },
    saltLength: pss.saltLength,
    trailerField: '0xbc',
  };
}

/** Person with both sets of field names, older and newer. */
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
