import { z } from 'zod';
import { sensitiveOperations } from '../../domain/approval/events.ts';
import { optionalText, text } from './eventParts.ts';

/** The events of approvals: the schema version written today and its shape. */
export const approvalEvents = {
  ApprovalRequested: {
    version: 1,
    shape: {
      approvalId: text,
      operation: z.enum(sensitiveOperations),
      command: text,
      commandHash: text,
      capability: text,
      subject: text,
      civilId: optionalText,
      effects: z.array(z.strictObject({ target: text, before: text, after: text })),
      targets: z.array(z.strictObject({ stream: text, revision: optionalText })),
      execution: z.enum(['AT_ONCE', 'BY_REQUESTER']),
      comment: optionalText,
      requestedBy: text,
      requestedAt: text,
      expiresAt: text,
    },
  },
  ApprovalGranted: { version: 1, shape: { approvalId: text, grantedBy: text, grantedAt: text } },
  ApprovalRejected: {
    version: 1,
    shape: {
      approvalId: text,
      civilId: optionalText,
      rejectedBy: text,
      reason: optionalText,
      rejectedAt: text,
    },
  },
  ApprovalExecuted: { version: 1, shape: { approvalId: text, executedAt: text } },
  ApprovalFailed: { version: 1, shape: { approvalId: text, code: text, failedAt: text } },
  ApprovalExpired: { version: 1, shape: { approvalId: text, expiredAt: text } },
} as const;
