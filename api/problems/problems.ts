import type { FieldFault, Refusal, RefusalCode } from '../../domain/shared/refusal.ts';
import { documentProblems } from './documentProblems.ts';
import { refusalOf } from './refusalOf.ts';
import { problemType, w, type Wire } from './wire.ts';

/**
 * Maps refusal codes to responses (contract §6). Clients search a 403 for the word "represent" to
 * recognise a missing right to represent: no other 403 may contain it.
 */
export const problems: Readonly<Record<RefusalCode, Wire>> = {
  INVALID_REQUEST: w(400, 'Invalid request', 'The request is malformed; see errors.'),
  CLIENT_TOO_OLD: w(
    480,
    'Client too old',
    'This generation of the protocol is no longer served; update the client.',
  ),
  UNSUPPORTED_MEDIA_TYPE: w(
    415,
    'Unsupported media type',
    'Send the body as application/json in UTF-8, without a content encoding.',
  ),
  PAYLOAD_TOO_LARGE: w(413, 'Payload too large', 'The body is larger than this address accepts.'),
  METHOD_NOT_ALLOWED: w(
    405,
    'Method not allowed',
    'This address does not take this method; the Allow header lists those it takes.',
  ),
  NOT_FOUND: w(404, 'Not found', 'There is nothing at this address.'),
  CONFLICT: w(409, 'Conflict', 'Somebody else changed this at the same time; read it and retry.'),
  PRECONDITION_FAILED: w(
    412,
    'Changed meanwhile',
    'Somebody changed this since it was read; read it and edit again.',
  ),
  RATE_LIMITED: w(429, 'Too many requests', 'Too many requests; wait for Retry-After seconds.'),
  QUOTA_EXCEEDED: w(
    429,
    'Quota used up',
    'What one caller may have made or kept in a day is used up; wait for Retry-After seconds.',
  ),
  OVERLOADED: w(503, 'Overloaded', 'The service is busy; retry after Retry-After seconds.'),
  DEPENDENCY_UNAVAILABLE: w(
    503,
    'Service unavailable',
    'A part of the service is not available; retry after Retry-After seconds.',
  ),
  MAINTENANCE: w(
    503,
    'Maintenance',
    'No new sessions are started during maintenance; retry after Retry-After seconds.',
  ),
  INTERNAL: w(
    500,
    'Internal error',
    'The service failed to answer; the operator finds the cause under the instance id.',
  ),
  UNAUTHENTICATED: w(
    401,
    'Not authenticated',
    'The credentials are missing, wrong or no longer valid.',
  ),
  PERMISSION_DENIED: w(403, 'Permission denied', 'You are not permitted to do this.'),
  IP_NOT_ALLOWED: w(403, 'Address not allowed', 'Calls from this IP address are not allowed.'),
  CLIENT_CERTIFICATE_REQUIRED: w(
    403,
    'Client certificate required',
    'A registered TLS client certificate is required.',
  ),
  REPRESENTATION_DENIED: w(
    403,
    'No right to represent',
    'The person has no right to represent this organization.',
  ),
  REPRESENTATION_PENDING: w(
    403,
    'Right to represent not confirmed',
    'The right to represent this organization is not confirmed yet.',
  ),
  REPRESENTATION_EXPIRED: w(
    403,
    'Right to represent expired',
    'The right to represent this organization has expired.',
  ),
  REPRESENTATION_REVOKED: w(
    403,
    'Right to represent withdrawn',
    'The right to represent this organization was withdrawn.',
  ),
  ORG_NOT_ACTIVE: w(409, 'Organization not active', 'The organization is not active.'),
  SEAL_NOT_ALLOWED: w(
    403,
    'Seal not allowed',
    'This relying party may not seal for this organization: ask the operators of the service to put it on the list.',
  ),
  NOT_ORG_ADMIN: w(
    403,
    'Not an administrator',
    'The acting person is not an administrator of the organization.',
  ),
  ORG_NOT_FOUND: w(404, 'Organization not found', 'There is no such organization.'),
  PERSON_NOT_FOUND: w(404, 'Person not found', 'No enrolled person has this identifier.'),
  DOCUMENT_NOT_FOUND: w(404, 'Document not found', 'There is no device with this document number.'),
  NO_SUITABLE_CERTIFICATE: w(
    404,
    'No suitable certificate',
    'There is no usable certificate of the level asked for.',
  ),
  SESSION_NOT_FOUND: w(404, 'Session not found', 'There is no such session, or its time is over.'),
  SESSION_NOT_COMPLETE: w(409, 'Session not complete', 'The citizen has not answered yet.'),
  SESSION_ALREADY_COMPLETE: w(
    409,
    'Session already complete',
    'The session already has its outcome.',
  ),
  SESSION_ALREADY_CLAIMED: w(
    409,
    'Session already taken',
    'Another phone has already taken this session.',
  ),
  SESSION_EXPIRED: w(410, 'Session expired', 'The time to answer this session is over.'),
  DEVICE_LINK_INVALID: w(
    422,
    'Device link invalid',
    'The link is no signed device link of version 1.0, or not one made for this session.',
  ),
  DEVICE_LINK_EXPIRED: w(
    410,
    'Device link expired',
    'A QR link may be used for 20 seconds; scan the one shown now.',
  ),
  SIGNATURE_INVALID: w(
    422,
    'Signature invalid',
    'The signature does not verify with the certified key over the payload of this session.',
  ),
  DEVICE_PROOF_INVALID: w(
    401,
    'Device proof invalid',
    "The proof of the device's key is missing, wrong or too old.",
  ),
  DEVICE_PROOF_REPLAYED: w(
    401,
    'Device proof replayed',
    'This proof was used before; make a new one for every request.',
  ),
  DEVICE_NOT_ACTIVE: w(403, 'Device not active', 'The device was deactivated.'),
  KEY_PROOF_INVALID: w(
    400,
    'Key proof invalid',
    'A proof of possession does not verify with its public key.',
  ),
  ENROLMENT_TOKEN_INVALID: w(
    401,
    'Enrolment token invalid',
    'The enrolment token is wrong, used or expired; verify the identity again.',
  ),
  ENROLMENT_BLOCKED: w(
    403,
    'Enrolment blocked',
    'The citizen stopped the enrolment of new phones for a time.',
  ),
  IDENTITY_NOT_VERIFIED: w(
    403,
    'Identity not verified',
    'The data given does not match an identity document in force.',
  ),
  VERIFICATION_METHOD_NOT_AVAILABLE: w(
    409,
    'Method not available',
    'Identities are not verified by this method here; GET /v3/kyc/methods lists those that are.',
  ),
  VERIFICATION_NOT_FOUND: w(
    404,
    'Verification not found',
    'There is no identity verification with this id and secret.',
  ),
  VERIFICATION_ENDED: w(
    409,
    'Verification ended',
    'This identity verification takes no further attempts; read its status, or start another.',
  ),
  VERIFICATION_EXPIRED: w(
    410,
    'Verification expired',
    'The time for this identity verification is over; start another.',
  ),
  CERTIFICATE_NOT_FOUND: w(
    404,
    'Certificate not found',
    'There is no certificate with this serial number.',
  ),
  REVOCATION_REASON_INVALID: w(
    400,
    'Revocation reason invalid',
    'The reason must be a CRLReason of RFC 5280 that can be given here; see errors.',
  ),
  SUSPENSION_NOT_ALLOWED: w(
    409,
    'Suspension not allowed',
    'A certificate of this kind cannot be put on hold; revoke it for another reason.',
  ),
  CERTIFICATE_NOT_ACTIVE: w(409, 'Certificate not active', 'The certificate is not in force.'),
  RELYING_PARTY_NOT_FOUND: w(404, 'Relying party not found', 'There is no such relying party.'),
  SUBSYSTEM_NOT_FOUND: w(
    404,
    'Subsystem not found',
    'The relying party has no subsystem with this number.',
  ),
  SUBSYSTEM_NOT_ACTIVE: w(
    403,
    'Subsystem not active',
    'The subsystem named in rp_app is deactivated; name another, or ask the operator.',
  ),
  REPRESENTATIVE_NOT_FOUND: w(
    404,
    'Representative not found',
    'The organization has no such representative.',
  ),
  DIGEST_MISMATCH: w(
    422,
    'Digest mismatch',
    'The digest of the content is not the digest that was signed.',
  ),
  NOT_A_PDF: w(415, 'Not a PDF', 'Send the bytes of a PDF file; they begin with %PDF-.'),
  PDF_ENCRYPTED: w(422, 'PDF encrypted', 'The PDF is encrypted; send it without protection.'),
  PDF_DAMAGED: w(422, 'PDF damaged', 'The PDF is cut off or its structure is broken.'),
  PDF_LOCKED: w(
    422,
    'PDF locked',
    'A signature in the PDF forbids further changes; nothing can be added to it.',
  ),
  PDF_NOT_SUPPORTED: w(
    422,
    'PDF not supported',
    'The PDF uses a feature that cannot be stamped, such as an XFA form.',
  ),
  PREPARED_DOCUMENT_NOT_FOUND: w(
    404,
    'Prepared document not found',
    'No document prepared by you awaits this signature; it may have ended, prepare it again.',
  ),
  PREPARED_FOR_OTHER_SIGNER: w(
    409,
    'Prepared for another signer',
    'The document was prepared for another certificate than the one that signed.',
  ),
  SIGNER_NOT_ENROLLED: w(404, 'Signer not enrolled', 'The signer has no electronic identity yet.'),
  LAST_ADMIN: w(409, 'Last administrator', 'The last administrator of an organization must stay.'),
  LAST_SUPER_ADMIN: w(
    409,
    'Last super administrator',
    'The last super administrator must keep the role.',
  ),
  SIGN_IN_FAILED: w(401, 'Sign-in failed', 'E-mail or password incorrect.'),
  SIGN_IN_DISABLED: w(
    503,
    'Sign-in disabled',
    'Operators cannot sign in here: SVC_ADMIN_TOKEN_SECRET is not set.',
  ),
  SECOND_FACTOR_WRONG: w(
    401,
    'Code incorrect',
    'The code is incorrect or was used already; wait for the next one.',
  ),
  PASSWORD_CHANGE_REQUIRED: w(
    403,
    'Password change required',
    'Change your password first: POST /v3/admin/auth/password.',
  ),
  CURRENT_PASSWORD_WRONG: w(
    403,
    'Current password incorrect',
    'The current password is incorrect; nothing was changed.',
  ),
  OPERATOR_NOT_FOUND: w(404, 'Operator not found', 'There is no operator with this id.'),
  OPERATOR_EMAIL_TAKEN: w(
    409,
    'E-mail taken',
    'An operator has this e-mail already, active or deactivated.',
  ),
  ErrSelfApproval: w(
    403,
    'Own request',
    'Another operator must decide about this request, not the one who made it.',
  ),
  APPROVER_NOT_INDEPENDENT: w(
    403,
    'Approver not independent',
    'One of you added, reset or changed the role of the other, perhaps through others, within 30 days: an independent operator must decide. Where there is none, add operators on the machine: ./tamga admin add.',
  ),
  APPROVERS_MISSING: w(
    409,
    'Approvers missing',
    'Too few other operators could approve this: add them on the machine, ./tamga admin add.',
  ),
  APPROVAL_STALE: w(
    409,
    'Approval stale',
    'What was approved has changed since; make a new request.',
  ),
  TREE_HEAD_NOT_FOUND: w(404, 'Tree head not found', 'No head of the audit tree is signed yet.'),
  AUDIT_EVENT_NOT_FOUND: w(404, 'Event not found', 'The audit tree has no such event.'),
  AUDIT_EVENT_ALTERED: w(
    409,
    'Event altered',
    'The event as it is stored is not the one the audit tree was grown with; have it looked into.',
  ),
  APPROVAL_NOT_FOUND: w(404, 'Approval not found', 'There is no such request for approval.'),
  APPROVAL_DECIDED: w(
    409,
    'Decided already',
    'This request was decided already; read it to see how and by whom.',
  ),
  APPROVAL_EXPIRED: w(
    410,
    'Approval expired',
    'The time to decide about this request, or to collect its result, is over; make a new one.',
  ),
  DIRECTORY_NOT_CONFIGURED: w(
    503,
    'No directory',
    'This installation has no directory of persons and organizations; ask its operator.',
  ),
  DIRECTORY_FAILED: w(
    502,
    'Directory failed',
    'The registry behind the directory did not answer, or not in a way that is understood; try again later.',
  ),
  ARTICLE_NOT_FOUND: w(404, 'Article not found', 'There is no such article, or it was removed.'),
  OIDC_CLIENT_NOT_FOUND: w(404, 'Client not found', 'There is no client with this client_id.'),
  INTERACTION_NOT_FOUND: w(
    404,
    'Login not found',
    'This login is over, or was begun in another browser; begin again where you came from.',
  ),
  ...documentProblems,
};

/** An error response. */
export interface Problem {
  readonly code: RefusalCode;
  readonly status: number;
  readonly retryAfterSeconds: number | null;
  /** Explanation for the caller's developer. */
  readonly detail: string;
  readonly faults: readonly FieldFault[];
  /** RFC 9457 members plus `error`, `code` and `errors` (contract §6). */
  readonly body: object;
  /** Cause, for the log only; null when the refusal is complete. */
  readonly cause: unknown;
}

/** A refusal with another status than its code's, as some clients expect. */
export class AnsweredAs extends Error {
  override readonly name = 'AnsweredAs';
  readonly status: number;
  readonly refusal: Refusal;

  constructor(status: number, refusal: Refusal) {
    super(`${status}: ${refusal.message}`, { cause: refusal });
    this.status = status;
    this.refusal = refusal;
  }
}

/** Response of a refusal. */
export interface WrittenRefusal {
  readonly status: number;
  readonly contentType: string;
  /** JSON, or the text of a page. */
  readonly body: object | string;
  /** Lower-case names; replace the common headers. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Default format of refusals (contract §6). */
export function asProblem({ status, body }: Problem): WrittenRefusal {
  return { status, contentType: 'application/problem+json', body };
}

/** Maps any error to a problem. Unknown errors disclose only the request id. */
export function problemOf(error: unknown, requestId: string, status?: number): Problem {
  if (error instanceof AnsweredAs) return problemOf(error.refusal, requestId, error.status);
  const refusal = refusalOf(error);
  const wire = problems[refusal.code];
  const shown = status ?? wire.status;
  const faults = refusal.errors.length === 0 ? {} : { errors: refusal.errors.map(faultOnWire) };
  // A 403 always has the table's text: clients search it for one word.
  const detail = wire.status === 403 ? wire.text : (refusal.detail ?? wire.text);
  return {
    code: refusal.code,
    status: shown,
    retryAfterSeconds: refusal.retryAfterSeconds ?? null,
    detail,
    faults: refusal.errors,
    body: {
      type: problemType(refusal.code),
      title: wire.title,
      status: shown,
      detail,
      instance: requestId,
      error: detail,
      code: refusal.code,
      ...faults,
    },
    cause: error === refusal ? (refusal.cause ?? null) : error,
  };
}

function faultOnWire({ pointer, detail }: FieldFault) {
  return { pointer, detail };
}
