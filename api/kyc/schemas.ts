import { z } from 'zod';
import {
  verificationFailures,
  verificationMethods,
} from '../../domain/identityVerification/events.ts';
import { hashTypes } from '../../domain/shared/digest.ts';
import { moment } from '../http/answers.ts';

// What is sent and answered below /v3/kyc. Sizes are generous upper bounds of what can be right.

export const nothing = z.object({});

export const startBody = z.object({ method: z.enum(verificationMethods) });

export const verificationPath = z.object({ verificationId: z.uuid().toLowerCase() });

export const citizenCardBody = z.object({
  identifier: z.string().min(1).max(64),
  cardNumber: z.string().min(1).max(32),
  birthDate: z.iso.date(),
});

/** The ways to verify an identity. */
export const methodsAnswer = z.object({
  methods: z.array(
    z.object({ method: z.string(), available: z.boolean(), reason: z.string().optional() }),
  ),
});

/** To a verified identity. */
export const verifiedAnswer = z.object({
  enrolmentToken: z.string().meta({ description: 'Good once, until expiresAt' }),
  expiresAt: moment,
  etsi: z.string(),
});

const nextStep = z
  .discriminatedUnion('type', [
    z.object({ type: z.literal('CARD') }),
    z.object({
      type: z.literal('REDIRECT'),
      url: z.url().meta({ description: 'To be opened in the browser of the person' }),
    }),
    z.object({
      type: z.literal('SIGNATURE'),
      challenge: z.string().meta({ description: 'Base64 of exactly the bytes to be signed' }),
      hashTypes: z.array(z.enum(hashTypes)),
    }),
    z.object({ type: z.literal('PASSPORT') }),
  ])
  .meta({ id: 'IdentityVerificationStep' });

/** An identity verification as whoever started it sees it. */
export const verificationAnswer = z
  .object({
    verificationId: z.uuid(),
    method: z.enum(verificationMethods),
    status: z.enum(['PENDING', 'VERIFIED', 'EXHAUSTED', 'EXPIRED', 'CANCELLED']),
    expiresAt: moment,
    attemptsLeft: z.int().min(0),
    failure: z
      .enum(verificationFailures)
      .nullable()
      .meta({ description: 'Why the last attempt failed' }),
    step: nextStep.nullable().meta({ description: 'What to do next; null: nothing' }),
    verified: verifiedAnswer
      .nullable()
      .meta({ description: 'Null unless VERIFIED, and once the token has expired' }),
  })
  .meta({ id: 'IdentityVerification' });

/** To a start: the secret is shown here and nowhere else. */
export const startedAnswer = z.object({
  verification: verificationAnswer,
  secret: z.string().meta({ description: 'Authorization: Bearer <secret> of all further calls' }),
});
