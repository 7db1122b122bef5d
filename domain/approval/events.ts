import { civilIdOf } from '../shared/etsi.ts';
import { type EventOf, defineEvents, event, recordedCapability } from '../shared/defineEvents.ts';
import { type Fields, list, nullable, object, oneOf, text } from '../shared/eventFields.ts';
import { FORGOTTEN } from '../shared/personalData.ts';

// Storage format: see domain/shared/defineEvents.ts.

/** Commands under dual control where the policy requires it (specification, Approval request). */
export const alwaysReviewed = [
  'certificate.revoke',
  'device.deactivate',
  'relyingParty.deactivate',
  'relyingParty.reactivate',
  'relyingParty.allowSealing',
  'relyingParty.setNames',
  'relyingParty.register',
  'relyingParty.edit',
  'oidcClient.deactivate',
  'oidcClient.edit',
  'oidcClient.register',
  'projection.skip',
  'register.import',
] as const;

/** Commands that need it there where the policy names them. */
export const reviewedWhenNamed = [
  'relyingParty.rotateSecret',
  'oidcClient.rotateSecret',
  'organization.revoke',
  'organization.issueSealCertificate',
  'operator.changeRole',
  'person.forget',
  'assistant.changePrompt',
  'assistant.changeKnowledge',
] as const;

/** Commands that need another SUPER_ADMIN wherever dual control is required: they take an approver away. */
const reviewedByAdministrators = ['operator.deactivate', 'operator.resetSecondFactor'] as const;

export const sensitiveOperations = [
  ...alwaysReviewed,
  ...reviewedByAdministrators,
  ...reviewedWhenNamed,
] as const;

/** Commands of which several about one thing may wait: they change different settings, rows, texts or read models. */
export const editing: readonly SensitiveOperationName[] = [
  'relyingParty.allowSealing',
  'relyingParty.setNames',
  'relyingParty.edit',
  'oidcClient.edit',
  'projection.skip',
  'register.import',
  'assistant.changePrompt',
  'assistant.changeKnowledge',
];

export type SensitiveOperationName = (typeof sensitiveOperations)[number];

/** Times of execution. AT_ONCE: on approval. BY_REQUESTER: when the requester collects the result. */
export const executions = ['AT_ONCE', 'BY_REQUESTER'] as const;

const approvalTarget = {
  stream: text,
  /** Decimal revision of its last event; null: it did not exist. */
  revision: nullable(text),
};

/** A stream the command depends on, with its revision when the command was requested. */
export type ApprovalTarget = Fields<typeof approvalTarget>;

const approvalEffect = {
  target: text,
  before: text,
  after: text,
};

/** Effect of the command, for the deciding operator: a thing, its state before and after. */
export type ApprovalEffect = Fields<typeof approvalEffect>;

export const approvalEvents = defineEvents('approval', {
  ApprovalRequested: event({
    data: {
      approvalId: text,
      operation: oneOf(sensitiveOperations),
      /** The exact command: canonical JSON (RFC 8785). */
      command: text,
      /** SHA-256 of the command's UTF-8 bytes, lower-case hexadecimal. */
      commandHash: text,
      /** Capability required of the deciding operator. */
      capability: text,
      /** Target of the command: serial, document number, UUID or ETSI identifier. */
      subject: text,
      /** Civil id of the person whose data the comment may hold; null: nobody. */
      civilId: nullable(text),
      effects: list(object(approvalEffect)),
      targets: list(object(approvalTarget)),
      execution: oneOf(executions),
      /** Reason in the requester's words. */
      comment: nullable(text),
      /** An operator's id. */
      requestedBy: text,
      requestedAt: text,
      expiresAt: text,
    },
    // Texts of operators may name the person concerned.
    personal: {
      subject: civilIdOf,
      placeholders: { comment: FORGOTTEN },
    },
    audit: {
      type: 'APPROVAL_REQUEST',
      capability: recordedCapability,
      civilId: civilIdOf,
      details: ({ operation, subject, effects, commandHash, expiresAt }) => ({
        operation,
        subject,
        effects,
        commandHash,
        expiresAt,
      }),
    },
  }),

  /** The first of two approvals that a request of the break-glass key needs; it stays undecided. */
  ApprovalEndorsed: event({
    data: {
      approvalId: text,
      endorsedBy: text,
      endorsedAt: text,
    },
    audit: { type: 'APPROVAL_ENDORSE' },
  }),

  ApprovalGranted: event({
    data: {
      approvalId: text,
      grantedBy: text,
      grantedAt: text,
    },
    audit: { type: 'APPROVAL_GRANT' },
  }),

  ApprovalRejected: event({
    data: {
      approvalId: text,
      /** Of the request; null without a reason. */
      civilId: nullable(text),
      rejectedBy: text,
      /** Reason; null: its subject is crypto-shredded, and with it everything about that person. */
      reason: nullable(text),
      rejectedAt: text,
    },
    personal: {
      subject: civilIdOf,
      placeholders: { reason: FORGOTTEN },
    },
    audit: { type: 'APPROVAL_REJECT', civilId: civilIdOf },
  }),

  ApprovalExecuted: event({
    data: {
      approvalId: text,
      executedAt: text,
    },
    audit: { type: 'APPROVAL_EXECUTE' },
  }),

  /** It will never be executed. */
  ApprovalFailed: event({
    data: {
      approvalId: text,
      /** The refusal's code, for example `APPROVAL_STALE`. */
      code: text,
      failedAt: text,
    },
    audit: { type: 'APPROVAL_FAIL', isDenied: true, details: ({ code }) => ({ code }) },
  }),

  ApprovalExpired: event({
    data: {
      approvalId: text,
      expiredAt: text,
    },
    audit: { type: 'APPROVAL_EXPIRE' },
  }),
});

export type ApprovalEvent = EventOf<typeof approvalEvents>;
export type ApprovalRequested = EventOf<typeof approvalEvents, 'ApprovalRequested'>;
