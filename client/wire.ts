import { readEndResult } from './endResult.ts';
import { isObject, type Json, numberIn, objectIn, oneOf, required, textIn } from './json.ts';
import { hideWhenPrinted } from './redaction.ts';
import { readRiskSignals } from './riskSignals.ts';
import type { Started } from './requests.ts';
import type {
  BatchSignature,
  DeviceLinkSession,
  NotificationSession,
  OnBehalfOf,
  Person,
  SessionProgress,
  SessionResult,
  SignatureAlgorithmParameters,
} from './types.ts';

/** Parses the response to a notification request. @throws NetworkError when a field is missing */
export function readNotificationSession(
  { answer, sent, addressee }: Started,
  rpChallenge: string,
): NotificationSession {
  const vc = objectIn(answer, 'vc');
  return {
    sessionId: required(answer, 'sessionID'),
    vc: { type: required(vc, 'type'), value: required(vc, 'value') },
    rpChallenge,
    addressee,
    ...(sent === null ? {} : { request: sent }),
  };
}

/** Parses the response to a device-link request. @throws NetworkError when a field is missing */
export function readDeviceLinkSession(
  { answer, sent, addressee }: Started,
  rpChallenge: string,
): DeviceLinkSession {
  const session: DeviceLinkSession = {
    sessionId: required(answer, 'sessionID'),
    sessionToken: required(answer, 'sessionToken'),
    sessionSecret: required(answer, 'sessionSecret'),
    deviceLinkBase: required(answer, 'deviceLinkBase'),
    vc: isChoice(sent) ? '' : required(answer, 'vc'),
    rpChallenge,
    addressee,
    ...(sent === null ? {} : { request: sent, receivedAt: Date.now() }),
  };
  return hideWhenPrinted(session, ['sessionSecret', 'sessionToken']);
}

/** True for a certificate choice, which signs nothing and has no verification code. */
function isChoice(sent: Started['sent']): boolean {
  return sent?.signatureProtocol === '';
}

/** Values that this version knows; a newer one is none. */
const progresses: readonly SessionProgress[] = ['DELIVERED', 'OPENED', 'PIN_ENTRY'];

/** Flattens a polled session. @throws NetworkError when it has no known state */
export function readSessionResult(answer: Json): SessionResult {
  const result = objectIn(answer, 'result');
  const signature = objectIn(answer, 'signature');
  const cert = objectIn(answer, 'cert');
  return {
    state: oneOf(answer, 'state', ['RUNNING', 'COMPLETE']),
    endResult: readEndResult(textIn(result, 'endResult')),
    progress: progresses.find((each) => each === textIn(answer, 'progress')) ?? null,
    documentNumber: textIn(result, 'documentNumber'),
    certificateDerB64: textIn(cert, 'value'),
    certificateLevel: textIn(cert, 'certificateLevel'),
    signatureValueB64: textIn(signature, 'value'),
    signatureAlgorithm: textIn(signature, 'signatureAlgorithm'),
    signatures: readSignatures(answer['signatures']),
    interactionTypeUsed: textIn(answer, 'interactionTypeUsed'),
    signatureProtocol: textIn(answer, 'signatureProtocol'),
    signatureAlgorithmParameters: readAlgorithmParameters(
      objectIn(signature, 'signatureAlgorithmParameters'),
    ),
    serverRandom: textIn(signature, 'serverRandom'),
    userChallenge: textIn(signature, 'userChallenge'),
    flowType: textIn(signature, 'flowType'),
    person: readPerson(objectIn(answer, 'person')),
    onBehalfOf: readOnBehalfOf(objectIn(answer, 'onBehalfOf')),
    riskSignals: readRiskSignals(objectIn(answer, 'riskSignals')),
  };
}

/** Reads the signatures of a batch; absent: none. @throws NetworkError when a field is missing */
function readSignatures(signatures: unknown): readonly BatchSignature[] {
  if (!Array.isArray(signatures)) return [];
  return signatures.map((each) => {
    const signature: Json = isObject(each) ? each : {};
    return {
      digest: required(signature, 'digest'),
      signatureValueB64: required(signature, 'value'),
      signatureAlgorithm: required(signature, 'signatureAlgorithm'),
    };
  });
}

function readAlgorithmParameters(parameters: Json | null): SignatureAlgorithmParameters | null {
  const hashAlgorithm = textIn(parameters, 'hashAlgorithm');
  if (hashAlgorithm === null) return null;
  const mask = objectIn(parameters, 'maskGenAlgorithm');
  const algorithm = textIn(mask, 'algorithm');
  const maskHash = textIn(objectIn(mask, 'parameters'), 'hashAlgorithm');
  return {
    hashAlgorithm,
    maskGenAlgorithm:
      algorithm === null || maskHash === null ? null : { algorithm, hashAlgorithm: maskHash },
    saltLength: numberIn(parameters, 'saltLength'),
    trailerField: textIn(parameters, 'trailerField'),
  };
}

/**
 * Reads a person; `givenName` and `surname`, with `En` or without, are the older names of the first
 * fields.
 */
function readPerson(person: Json | null): Person | null {
  if (person === null) return null;
  return {
    firstName: textIn(person, 'firstName') ?? textIn(person, 'givenName'),
    lastName: textIn(person, 'lastName') ?? textIn(person, 'surname'),
    familyName: textIn(person, 'familyName'),
    firstNameEn: textIn(person, 'firstNameEn') ?? textIn(person, 'givenNameEn'),
    lastNameEn: textIn(person, 'lastNameEn') ?? textIn(person, 'surnameEn'),
    civilId: textIn(person, 'civilId'),
    regNo: textIn(person, 'regNo'),
    birthDate: textIn(person, 'birthDate'),
    gender: textIn(person, 'gender'),
    geID: numberIn(person, 'geID'),
  };
}

function readOnBehalfOf(marker: Json | null): OnBehalfOf | null {
  if (marker === null) return null;
  return {
    orgEtsi: required(marker, 'orgEtsi'),
    orgName: required(marker, 'orgName'),
    role: textIn(marker, 'role'),
    rightType: textIn(marker, 'rightType'),
  };
}
