import { NetworkError } from './errors.ts';
import type {
  DeviceLinkSession,
  NotificationSession,
  OnBehalfOf,
  Person,
  SessionResult,
} from './types.ts';

type Json = Readonly<Record<string, unknown>>;

/** Reads the answer to a notification request. @throws NetworkError when a field is missing */
export function readNotificationSession(answer: Json, rpChallenge: string): NotificationSession {
  const vc = objectIn(answer, 'vc');
  return {
    sessionId: required(answer, 'sessionID'),
    vc: { type: required(vc ?? {}, 'type'), value: required(vc ?? {}, 'value') },
    rpChallenge,
  };
}

/** Reads the answer to a device-link request. @throws NetworkError when a field is missing */
export function readDeviceLinkSession(answer: Json, rpChallenge: string): DeviceLinkSession {
  return {
    sessionId: required(answer, 'sessionID'),
    sessionToken: required(answer, 'sessionToken'),
    sessionSecret: required(answer, 'sessionSecret'),
    deviceLinkBase: required(answer, 'deviceLinkBase'),
    vc: required(answer, 'vc'),
    rpChallenge,
  };
}

/** Flattens a polled session. @throws NetworkError when it has no known state */
export function readSessionResult(answer: Json): SessionResult {
  const state = textIn(answer, 'state');
  if (state !== 'RUNNING' && state !== 'COMPLETE') throw missing('state');
  const result = objectIn(answer, 'result');
  const signature = objectIn(answer, 'signature');
  const cert = objectIn(answer, 'cert');
  return {
    state,
    endResult: textIn(result, 'endResult'),
    documentNumber: textIn(result, 'documentNumber'),
    certificateDerB64: textIn(cert, 'value'),
    certificateLevel: textIn(cert, 'certificateLevel'),
    signatureValueB64: textIn(signature, 'value'),
    signatureAlgorithm: textIn(signature, 'signatureAlgorithm'),
    interactionTypeUsed: textIn(answer, 'interactionTypeUsed'),
    person: readPerson(objectIn(answer, 'person')),
    onBehalfOf: readOnBehalfOf(objectIn(answer, 'onBehalfOf')),
  };
}

/** `givenName` and `surname` are the older names of the first two fields. */
function readPerson(person: Json | null): Person | null {
  if (person === null) return null;
  const geID = person['geID'];
  return {
    firstName: textIn(person, 'firstName') ?? textIn(person, 'givenName'),
    lastName: textIn(person, 'lastName') ?? textIn(person, 'surname'),
    familyName: textIn(person, 'familyName'),
    birthDate: textIn(person, 'birthDate'),
    gender: textIn(person, 'gender'),
    geID: typeof geID === 'number' ? geID : null,
  };
}

function readOnBehalfOf(marker: Json | null): OnBehalfOf | null {
  if (marker === null) return null;
  return { orgEtsi: required(marker, 'orgEtsi'), orgName: required(marker, 'orgName') };
}

function objectIn(json: Json, field: string): Json | null {
  const value = json[field];
  return typeof value === 'object' && value !== null ? (value as Json) : null;
}

function textIn(json: Json | null, field: string): string | null {
  const value = json?.[field];
  return typeof value === 'string' ? value : null;
}

function required(json: Json, field: string): string {
  const value = textIn(json, field);
  if (value === null || value === '') throw missing(field);
  return value;
}

function missing(field: string): NetworkError {
  return new NetworkError(`The answer has no usable field ${field}.`);
}
