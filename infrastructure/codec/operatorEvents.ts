import { z } from 'zod';
import { operatorRoles } from '../../domain/operator/capabilities.ts';
import { optionalText, text } from './eventParts.ts';

const operatorRole = z.enum(operatorRoles);
const signInStep = z.enum(['PASSWORD', 'SECOND_FACTOR']);

/** The catalog's rows of operators and of attempts to sign in. */
export const operatorEvents = {
  OperatorAdded: {
    version: 1,
    shape: {
      operatorId: text,
      email: text,
      passwordHash: text,
      role: operatorRole,
      mustChangePassword: z.boolean(),
      addedAt: text,
    },
  },
  OperatorRoleChanged: {
    version: 1,
    shape: { operatorId: text, from: operatorRole, to: operatorRole, changedAt: text },
  },
  OperatorDeactivated: { version: 1, shape: { operatorId: text, deactivatedAt: text } },
  PasswordChanged: {
    version: 1,
    shape: {
      operatorId: text,
      passwordHash: text,
      mustChangePassword: z.boolean(),
      sessionId: optionalText,
      changedAt: text,
    },
  },
  PasswordRehashed: {
    version: 1,
    shape: { operatorId: text, passwordHash: text, rehashedAt: text },
  },
  SecondFactorEnrolled: {
    version: 1,
    shape: {
      operatorId: text,
      secret: text,
      counter: z.number(),
      sessionId: text,
      enrolledAt: text,
    },
  },
  SecondFactorUsed: {
    version: 1,
    shape: { operatorId: text, counter: z.number(), sessionId: text, usedAt: text },
  },
  SecondFactorReset: { version: 1, shape: { operatorId: text, resetAt: text } },
  PasswordAccepted: { version: 1, shape: { operatorId: text, acceptedAt: text } },
  SignInFailed: {
    version: 1,
    shape: {
      operatorId: optionalText,
      step: signInStep,
      reason: z.enum(['UNKNOWN', 'WRONG', 'REPLAYED', 'DEACTIVATED']),
      omitted: z.number(),
      failedAt: text,
    },
  },
  SignInThrottled: {
    version: 1,
    shape: {
      operatorId: optionalText,
      step: signInStep,
      omitted: z.number(),
      throttledAt: text,
    },
  },
  OperatorSignedOut: {
    version: 1,
    shape: { operatorId: text, sessionId: text, signedOutAt: text },
  },
  BreakGlassKeyUsed: { version: 1, shape: { usedAt: text } },
  BreakGlassKeyRefused: { version: 1, shape: { omitted: z.number(), refusedAt: text } },
} as const;
