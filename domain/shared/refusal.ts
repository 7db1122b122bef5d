/**
 * All refusal codes: one closed list, stable on the wire (`code` of the error body). Their statuses and texts are one
 * table, `api/problems/problems.ts`.
 */
export const refusalCodes = [
  'INVALID_REQUEST',
  'CLIENT_TOO_OLD',
  'UNSUPPORTED_MEDIA_TYPE',
  'PAYLOAD_TOO_LARGE',
  'METHOD_NOT_ALLOWED',
  'NOT_FOUND',
  'CONFLICT',
  'PRECONDITION_FAILED',
  'RATE_LIMITED',
  'QUOTA_EXCEEDED',
  'OVERLOADED',
  'DEPENDENCY_UNAVAILABLE',
  'MAINTENANCE',
  'INTERNAL',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'IP_NOT_ALLOWED',
  'CLIENT_CERTIFICATE_REQUIRED',
  'REPRESENTATION_DENIED',
  'REPRESENTATION_PENDING',
  'REPRESENTATION_EXPIRED',
  'REPRESENTATION_REVOKED',
  'ORG_NOT_ACTIVE',
  'ORG_NOT_FOUND',
  'NOT_ORG_ADMIN',
  'SEAL_NOT_ALLOWED',
  'PERSON_NOT_FOUND',
  'DOCUMENT_NOT_FOUND',
  'NO_SUITABLE_CERTIFICATE',
  'SESSION_NOT_FOUND',
  'SESSION_NOT_COMPLETE',
  'SESSION_ALREADY_COMPLETE',
  'SESSION_ALREADY_CLAIMED',
  'SESSION_EXPIRED',
  'DEVICE_LINK_INVALID',
  'DEVICE_LINK_EXPIRED',
  'SIGNATURE_INVALID',
  'DEVICE_PROOF_INVALID',
  'DEVICE_PROOF_REPLAYED',
  'DEVICE_NOT_ACTIVE',
  'KEY_PROOF_INVALID',
  'ENROLMENT_TOKEN_INVALID',
  'ENROLMENT_BLOCKED',
  'IDENTITY_NOT_VERIFIED',
  'VERIFICATION_METHOD_NOT_AVAILABLE',
  'VERIFICATION_NOT_FOUND',
  'VERIFICATION_ENDED',
  'VERIFICATION_EXPIRED',
  'CERTIFICATE_NOT_FOUND',
  'CERTIFICATE_NOT_ACTIVE',
  'REVOCATION_REASON_INVALID',
  'SUSPENSION_NOT_ALLOWED',
  'RELYING_PARTY_NOT_FOUND',
  'SUBSYSTEM_NOT_FOUND',
  'SUBSYSTEM_NOT_ACTIVE',
  'REPRESENTATIVE_NOT_FOUND',
  'DIGEST_MISMATCH',
  'NOT_A_PDF',
  'PDF_ENCRYPTED',
  'PDF_DAMAGED',
  'PDF_LOCKED',
  'PDF_NOT_SUPPORTED',
  'PREPARED_DOCUMENT_NOT_FOUND',
  'PREPARED_FOR_OTHER_SIGNER',
  'SIGNER_NOT_ENROLLED',
  'LAST_ADMIN',
  'LAST_SUPER_ADMIN',
  'SIGN_IN_FAILED',
  'SIGN_IN_DISABLED',
  'SECOND_FACTOR_WRONG',
  'PASSWORD_CHANGE_REQUIRED',
  'CURRENT_PASSWORD_WRONG',
  'OPERATOR_NOT_FOUND',
  'OPERATOR_EMAIL_TAKEN',
  'ErrSelfApproval',
  'APPROVER_NOT_INDEPENDENT',
  'APPROVERS_MISSING',
  'APPROVAL_STALE',
  'TREE_HEAD_NOT_FOUND',
  'AUDIT_EVENT_NOT_FOUND',
  'AUDIT_EVENT_ALTERED',
  'APPROVAL_NOT_FOUND',
  'APPROVAL_DECIDED',
  'APPROVAL_EXPIRED',
  'ARTICLE_NOT_FOUND',
  'DIRECTORY_NOT_CONFIGURED',
  'DIRECTORY_FAILED',
  'OIDC_CLIENT_NOT_FOUND',
  'INTERACTION_NOT_FOUND',
  'DOCUMENT_FROZEN',
  'SIGNING_UNDER_WAY',
  'NOT_THE_SIGNER',
  'SIGNER_NOT_NAMED',
  'ALREADY_SIGNED',
  'SIGNING_RAIL_UNAVAILABLE',
  'FILE_INFECTED',
  'FILE_ERASED',
] as const;

/** A code of {@link refusalCodes}. */
export type RefusalCode = (typeof refusalCodes)[number];

/**
 * A fault in one field of a request: `pointer` is an RFC 6901 JSON pointer into the body, or `#/query/x`, `#/path/x`,
 * `#/header/x`.
 */
export interface FieldFault {
  readonly pointer: string;
  readonly detail: string;
  /** Name of the violated rule: `required`, `max`, …; omitted: none. */
  readonly rule?: string;
}

/** Further fields of a refusal on the wire; neither secret nor personal. */
export interface RefusalDetails {
  /** Text for the caller instead of the code's standard one. Must say what to do. */
  readonly detail?: string;
  readonly errors?: readonly FieldFault[];
  /** Seconds until a retry makes sense; becomes `Retry-After`. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** The only error domain and application code throw on purpose: the request is valid and not allowed. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: RefusalCode;
  readonly detail: string | undefined;
  readonly errors: readonly FieldFault[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: RefusalCode, details: RefusalDetails = {}) {
    super(
      details.detail === undefined ? code : `${code}: ${details.detail}`,
      details.cause === undefined ? undefined : { cause: details.cause },
    );
    this.code = code;
    this.detail = details.detail;
    this.errors = details.errors ?? [];
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** True for a {@link Refusal}, optionally with exactly this `code`. */
export function isRefusal(error: unknown, code?: RefusalCode): error is Refusal {
  return error instanceof Refusal && (code === undefined || error.code === code);
}
