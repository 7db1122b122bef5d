import { z } from 'zod';
import {
  verificationFailures,
  verificationMethods,
} from '../../domain/identityVerification/events.ts';
import { text } from './eventParts.ts';

/** The catalog's rows of identity verifications: the schema version written today and its shape. */
export const identityVerificationEvents = {
  IdentityVerificationStarted: {
    version: 1,
    shape: {
      verificationId: text,
      method: z.enum(verificationMethods),
      secretHash: text,
      attemptsAllowed: z.number(),
      startedAt: text,
      expiresAt: text,
    },
  },
  IdentityVerificationAttempted: {
    version: 1,
    shape: { attempt: z.number(), attemptedAt: text },
  },
  IdentityVerificationAttemptFailed: {
    version: 1,
    shape: {
      attempt: z.number(),
      reason: z.enum(verificationFailures),
      counts: z.boolean(),
      failedAt: text,
    },
  },
  IdentityVerificationSucceeded: {
    version: 1,
    shape: {
      attempt: z.number(),
      civilId: text,
      evidence: z.record(text, text),
      enrolmentTokenHash: text,
      verifiedAt: text,
      tokenExpiresAt: text,
    },
  },
  IdentityVerificationExhausted: { version: 1, shape: { exhaustedAt: text } },
  IdentityVerificationExpired: { version: 1, shape: { expiredAt: text } },
  IdentityVerificationCancelled: { version: 1, shape: { cancelledAt: text } },
} as const;
