import { w } from './wire.ts';

/** Problems of operators and what they decide; part of the table in `problems.ts`. */
export const operatorProblems = {
  LAST_SUPER_ADMIN: w(
    409,
    'Last super administrator',
    'The last super administrator must keep the role.',
  ),
  SIGN_IN_FAILED: w(401, 'Sign-in failed', 'E-mail or password incorrect.'),
  SIGN_IN_DISABLED: w(
    503,
    'Sign-in disabled',
    'Operators cannot sign in here, because SVC_ADMIN_TOKEN_SECRET is not set.',
  ),
  SECOND_FACTOR_WRONG: w(
    401,
    'Code incorrect',
    'The code is incorrect or was already used; wait for the next one.',
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
    'An operator, active or deactivated, already has this e-mail.',
  ),
  ErrSelfApproval: w(
    403,
    'Own request',
    'You made this request yourself; another operator must decide.',
  ),
  APPROVER_NOT_INDEPENDENT: w(
    403,
    'Approver not independent',
    'One of you added, reset or changed the role of the other within 30 days, directly or through others. An independent operator must decide. If there is none, add operators on the machine with ./tamga admin add.',
  ),
  APPROVERS_MISSING: w(
    409,
    'Approvers missing',
    'Too few other operators could approve this. Add operators on the machine with ./tamga admin add.',
  ),
  APPROVAL_STALE: w(
    409,
    'Approval stale',
    'What was approved has changed since; make a new request.',
  ),
  TREE_HEAD_NOT_FOUND: w(
    404,
    'Tree head not found',
    'No head of the audit tree has been signed yet.',
  ),
  AUDIT_EVENT_NOT_FOUND: w(404, 'Event not found', 'The audit tree has no such event.'),
  AUDIT_EVENT_ALTERED: w(
    409,
    'Event altered',
    'The stored event differs from the one in the audit tree; investigate it.',
  ),
  APPROVAL_NOT_FOUND: w(404, 'Approval not found', 'There is no such request for approval.'),
  APPROVAL_DECIDED: w(
    409,
    'Decided already',
    'This request has already been decided; read it to see how and by whom.',
  ),
  APPROVAL_EXPIRED: w(
    410,
    'Approval expired',
    'The time to decide on this request, or to collect its result, has passed; make a new one.',
  ),
  ARTICLE_NOT_FOUND: w(404, 'Article not found', 'There is no such article, or it was removed.'),
} as const;
