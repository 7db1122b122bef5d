import { expect } from 'chai';
import { problems } from '../../api/problems/problems.ts';
import { endResults, readEndResult } from '../../client/endResult.ts';
import { ApiError } from '../../client/index.ts';
import { problemStatus, readProblemCode } from '../../client/problemCodes.ts';
import { endResults as platformResults } from '../../domain/session/events.ts';
import type { RefusalCode } from '../../domain/shared/refusal.ts';

/** Problems of calls that the library does not make: of phones, operators, enrolments and login pages. */
const elsewhere: readonly RefusalCode[] = [
  'SESSION_ALREADY_CLAIMED',
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
  'REVOCATION_REASON_INVALID',
  'SUSPENSION_NOT_ALLOWED',
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
  'OIDC_CLIENT_NOT_FOUND',
  'INTERACTION_NOT_FOUND',
];

describe('End results and codes of the client library', () => {
  it('are those of the platform', () => {
    expect(endResults.filter((each) => each !== 'UNKNOWN')).to.have.members(platformResults);
  });

  it('have the statuses of the platform', () => {
    const stated = Object.entries(problems).flatMap(([code, { status }]) =>
      elsewhere.includes(code as RefusalCode) ? [] : [[code, status]],
    );
    expect(problemStatus).to.deep.equal(Object.fromEntries(stated));
  });

  it('of a newer platform are read as failures, refusals as refusals', () => {
    expect(readEndResult('USER_REFUSED_LATER')).to.equal('USER_REFUSED');
    expect(readEndResult('OK_BUT')).to.equal('UNKNOWN');
    expect(readEndResult('ok')).to.equal('UNKNOWN');
    expect(readProblemCode('toString')).to.equal(null);
    const newer = new ApiError(409, {
      code: 'NEWER',
      detail: 'Later.',
      errors: [7, { pointer: 1 }],
    });
    expect(newer).to.include({ code: null, message: 'The service answered 409: Later.' });
    expect(newer.faults).to.deep.equal([]);
  });
});
