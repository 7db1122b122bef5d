import { w } from './wire.ts';

/** Problems of people, organizations and relying parties; part of the table in `problems.ts`. */
export const peopleProblems = {
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
  NOT_ORG_ADMIN: w(
    403,
    'Not an administrator',
    'The acting person is not an administrator of the organization.',
  ),
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
    'This method of identity verification is not available here; GET /v3/kyc/methods lists those that are.',
  ),
  VERIFICATION_NOT_FOUND: w(
    404,
    'Verification not found',
    'There is no identity verification with this id and secret.',
  ),
  VERIFICATION_ENDED: w(
    409,
    'Verification ended',
    'This identity verification accepts no further attempts; read its status, or start another.',
  ),
  VERIFICATION_EXPIRED: w(
    410,
    'Verification expired',
    'The time for this identity verification has passed; start another.',
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
  SIGNER_NOT_ENROLLED: w(404, 'Signer not enrolled', 'The signer has no electronic identity yet.'),
  LAST_ADMIN: w(
    409,
    'Last administrator',
    'The last administrator of an organization cannot be removed.',
  ),
  OIDC_CLIENT_NOT_FOUND: w(404, 'Client not found', 'There is no client with this client_id.'),
  INTERACTION_NOT_FOUND: w(
    404,
    'Login not found',
    'This login has ended, or was started in another browser; start again where you came from.',
  ),
} as const;
