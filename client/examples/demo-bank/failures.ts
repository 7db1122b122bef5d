import {
  ApiError,
  type EndResult,
  NetworkError,
  type ProblemCode,
  SessionFailedError,
  ValidationError,
} from '@tamga/client';

/** Kinds of failure; each has its own error page. */
export type FailureKind =
  | 'refused'
  | 'wrongCode'
  | 'timeout'
  | 'tooLate'
  | 'phoneUnusable'
  | 'unknownPerson'
  | 'noCertificate'
  | 'invalidInput'
  | 'notRepresentative'
  | 'documentRefused'
  | 'revoked'
  | 'notBelieved'
  | 'wrongBrowser'
  | 'busy'
  | 'serviceAway'
  | 'unexpected';

/** Reason a flow failed. */
export interface Failure {
  readonly kind: FailureKind;
  /** Code given by the library or the service. */
  readonly code: string;
}

/** Failure kinds by the session's `endResult`: one that is missing here does not compile. */
const endResults: Readonly<Record<Exclude<EndResult, 'OK'>, FailureKind>> = {
  USER_REFUSED: 'refused',
  USER_REFUSED_INTERACTION: 'refused',
  USER_REFUSED_DISPLAYTEXTANDPIN: 'refused',
  USER_REFUSED_VC_CHOICE: 'refused',
  USER_REFUSED_CONFIRMATIONMESSAGE: 'refused',
  USER_REFUSED_CERT_CHOICE: 'refused',
  USER_REFUSED_NOT_ME: 'refused',
  WRONG_VC: 'wrongCode',
  TIMEOUT: 'timeout',
  DOCUMENT_UNUSABLE: 'phoneUnusable',
  REQUIRED_INTERACTION_NOT_SUPPORTED_BY_APP: 'phoneUnusable',
  PROTOCOL_FAILURE: 'phoneUnusable',
  SERVER_ERROR: 'serviceAway',
  EXPECTED_LINKED_SESSION: 'unexpected',
  CANCELLED_BY_RP: 'timeout',
  UNKNOWN: 'unexpected',
};

/** Failure kinds by the service's error code. */
const refusals: Readonly<Partial<Record<ProblemCode, FailureKind>>> = {
  PERSON_NOT_FOUND: 'unknownPerson',
  DOCUMENT_NOT_FOUND: 'unknownPerson',
  NO_SUITABLE_CERTIFICATE: 'noCertificate',
  INVALID_REQUEST: 'invalidInput',
  SESSION_NOT_FOUND: 'tooLate',
  RATE_LIMITED: 'busy',
  ORG_NOT_FOUND: 'notRepresentative',
  ORG_NOT_ACTIVE: 'notRepresentative',
  REPRESENTATION_DENIED: 'notRepresentative',
  REPRESENTATION_PENDING: 'notRepresentative',
  REPRESENTATION_EXPIRED: 'notRepresentative',
  REPRESENTATION_REVOKED: 'notRepresentative',
};

/** Maps any error of a flow to the failure shown to the visitor. */
export function failureOf(error: unknown): Failure {
  if (error instanceof SessionFailedError) {
    const { endResult } = error;
    if (endResult === null || endResult === 'OK') {
      return { kind: 'unexpected', code: endResult ?? 'RUNNING' };
    }
    return { kind: endResults[endResult], code: endResult };
  }
  if (error instanceof ValidationError) return { kind: validationKind(error), code: error.code };
  if (error instanceof ApiError)
    return { kind: apiKind(error), code: error.code ?? `HTTP ${error.status}` };
  if (error instanceof NetworkError) return { kind: 'serviceAway', code: 'NETWORK' };
  return { kind: 'unexpected', code: 'UNEXPECTED' };
}

/** True for transient failures, where a retry may succeed. */
export function isPassing(error: unknown): boolean {
  return ['serviceAway', 'busy'].includes(failureOf(error).kind);
}

function apiKind({ status, code }: ApiError): FailureKind {
  const known = code === null ? undefined : refusals[code];
  if (known !== undefined) return known;
  if (status >= 500) return 'serviceAway';
  return [413, 415, 422].includes(status) ? 'documentRefused' : 'unexpected';
}

function validationKind({ code }: ValidationError): FailureKind {
  if (code === 'REVOKED') return 'revoked';
  if (code === 'REVOCATION_UNKNOWN') return 'serviceAway';
  return code === 'CALLBACK_MISMATCH' ? 'wrongBrowser' : 'notBelieved';
}
