import { approvalDecider } from '../../domain/approval/approval.ts';
import type { ApprovalEvent, ApprovalRequested } from '../../domain/approval/events.ts';
import { given } from '../support/assertions/deciderSpecification.ts';

const approval = given(approvalDecider);
const approvalId = 'approval';
const requester = 'requester';
const approver = 'approver';
const now = '2026-01-01T12:00:00.000Z';
const expiresAt = '2026-01-02T00:00:00.000Z';

const data: ApprovalRequested['data'] = {
  approvalId,
  operation: 'person.forget',
  command: '{}',
  commandHash: 'hash',
  capability: 'admin:manage',
  subject: 'PNOMN-110000000001',
  civilId: '110000000001',
  effects: [],
  targets: [],
  execution: 'AT_ONCE',
  comment: null,
  requestedBy: requester,
  requestedAt: '2026-01-01T00:00:00.000Z',
  expiresAt,
};
const requested: ApprovalEvent = { type: 'ApprovalRequested', data };
const forRequester: ApprovalEvent = {
  type: 'ApprovalRequested',
  data: { ...data, execution: 'BY_REQUESTER' },
};
const granted: ApprovalEvent = {
  type: 'ApprovalGranted',
  data: { approvalId, grantedBy: approver, grantedAt: now },
};
const rejected: ApprovalEvent = {
  type: 'ApprovalRejected',
  data: { approvalId, civilId: data.civilId, rejectedBy: approver, reason: 'No', rejectedAt: now },
};
const executed: ApprovalEvent = { type: 'ApprovalExecuted', data: { approvalId, executedAt: now } };
const stale: ApprovalEvent = {
  type: 'ApprovalFailed',
  data: { approvalId, code: 'APPROVAL_STALE', failedAt: now },
};
const expired: ApprovalEvent = { type: 'ApprovalExpired', data: { approvalId, expiredAt: now } };

const grant = { type: 'GrantApproval', by: approver, now } as const;
const reject = { type: 'RejectApproval', by: approver, reason: 'No', now } as const;
const record = { type: 'RecordExecution', now } as const;
const fail = { type: 'RecordFailure', code: 'APPROVAL_STALE', now } as const;
const expire = (at: string) => ({ type: 'ExpireApproval', now: at }) as const;

describe('An approval', () => {
  it('is asked for once', () => {
    approval([]).when({ type: 'RequestApproval', requested: data }).then([requested]);
    approval([requested])
      .when({ type: 'RequestApproval', requested: data })
      .thenRefuses('CONFLICT');
  });

  it('is granted or rejected by another operator', () => {
    approval([requested]).when(grant).then([granted]);
    approval([requested]).when(reject).then([rejected]);
  });

  it('keeps no reason, and nobody it is about, once that person is forgotten', () => {
    approval([requested])
      .when({ ...reject, reason: null })
      .then([{ ...rejected, data: { ...rejected.data, civilId: null, reason: null } }]);
  });

  it('is never decided by who asked, whatever became of it', () => {
    for (const past of [[requested], [requested, granted], [requested, expired]]) {
      approval(past)
        .when({ ...grant, by: requester })
        .thenRefuses('ErrSelfApproval');
      approval(past)
        .when({ ...reject, by: requester })
        .thenRefuses('ErrSelfApproval');
    }
  });

  it('is decided once; repeating the same decision changes nothing', () => {
    approval([requested, granted]).when(grant).then([]);
    approval([requested, granted, executed]).when(grant).then([]);
    approval([requested, rejected]).when(reject).then([]);
    approval([requested, granted]).when(reject).thenRefuses('APPROVAL_DECIDED');
    approval([requested, rejected]).when(grant).thenRefuses('APPROVAL_DECIDED');
    approval([requested, granted])
      .when({ ...grant, by: 'a third' })
      .thenRefuses('APPROVAL_DECIDED');
  });

  it('is not decided after its time, nor once it is stale', () => {
    approval([requested])
      .when({ ...grant, now: expiresAt })
      .thenRefuses('APPROVAL_EXPIRED');
    approval([requested, expired]).when(grant).thenRefuses('APPROVAL_EXPIRED');
    approval([requested, stale]).when(grant).thenRefuses('APPROVAL_STALE');
  });

  it('ends once: executed, failed or expired', () => {
    approval([requested, granted]).when(record).then([executed]);
    approval([requested, granted, executed]).when(record).then([]);
    approval([requested, granted]).when(fail).then([stale]);
    approval([requested]).when(fail).then([stale]);
    approval([requested, stale]).when(fail).then([]);
    approval([requested]).when(record).thenRefuses('CONFLICT');
    approval([requested, rejected]).when(record).thenRefuses('CONFLICT');
    approval([requested, granted, executed]).when(fail).thenRefuses('CONFLICT');
  });

  it('expires while nobody decided, or while an approved result waits for who asked', () => {
    const at = { ...expired, data: { approvalId, expiredAt: expiresAt } };
    approval([requested]).when(expire(expiresAt)).then([at]);
    approval([requested]).when(expire(now)).then([]);
    approval([requested, granted]).when(expire(expiresAt)).then([]);
    approval([forRequester, granted]).when(expire(expiresAt)).then([at]);
    approval([requested, rejected]).when(expire(expiresAt)).then([]);
  });

  it('is unknown before it was asked for', () => {
    approval([]).when(grant).thenRefuses('APPROVAL_NOT_FOUND');
    approval([]).when(record).thenRefuses('APPROVAL_NOT_FOUND');
  });
});
