import { civilIdOf } from '../shared/etsi.ts';
import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { boolean, number, oneOf, text, textMap } from '../shared/eventFields.ts';
import { FORGOTTEN } from '../shared/personalData.ts';
import { passportFaults } from './passportFaults.ts';

// Storage format: see domain/shared/defineEvents.ts.

/** The ways to verify an identity (specification, `GET /v3/kyc/methods`). */
export const verificationMethods = ['dan', 'gsign', 'passport', 'citizenCard'] as const;

export type VerificationMethod = (typeof verificationMethods)[number];

/** Reason for a failed attempt at identity proofing: a closed list, stable on the wire. */
export const verificationFailures = [
  // Any method.
  'NOT_MATCHED',
  'PERSON_UNKNOWN',
  'LIMITED',
  'UNAVAILABLE',
  // dan
  'DENIED',
  'STATE_INVALID',
  'CODE_REJECTED',
  // gsign
  'SIGNATURE_INVALID',
  'CERTIFICATE_INVALID',
  'CERTIFICATE_UNTRUSTED',
  'CERTIFICATE_NOT_IN_FORCE',
  'CERTIFICATE_REVOKED',
  'CERTIFICATE_UNSUITABLE',
  'SUBJECT_UNREADABLE',
  // passport
  ...passportFaults,
  'DOCUMENT_UNSUITABLE',
] as const;

export type VerificationFailure = (typeof verificationFailures)[number];

export const identityVerificationEvents = defineEvents('identityVerification', {
  /** A verification started, of a person not known yet. */
  IdentityVerificationStarted: event({
    data: {
      verificationId: text,
      method: oneOf(verificationMethods),
      /** SHA-256 of the secret of the client that started it, lower-case hexadecimal. */
      secretHash: text,
      attemptsAllowed: number,
      startedAt: text,
      expiresAt: text,
    },
    audit: {
      type: 'KYC_START',
      details: ({ method, attemptsAllowed, expiresAt }) => ({ method, attemptsAllowed, expiresAt }),
    },
  }),

  /** An attempt begins. It counts from here on, so that attempts at once count too. */
  IdentityVerificationAttempted: event({
    data: {
      attempt: number,
      attemptedAt: text,
    },
    audit: { type: 'KYC_ATTEMPT', details: ({ attempt }) => ({ attempt }) },
  }),

  IdentityVerificationAttemptFailed: event({
    data: {
      attempt: number,
      reason: oneOf(verificationFailures),
      /** False: the fault was not the person's, the attempt is given back. */
      counts: boolean,
      failedAt: text,
    },
    audit: {
      type: 'KYC_ATTEMPT_FAIL',
      isDenied: true,
      details: ({ attempt, reason, counts }) => ({ attempt, reason, counts }),
    },
  }),

  /** The person is known, and the hash of the one enrolment token that comes of it. */
  IdentityVerificationSucceeded: event({
    data: {
      attempt: number,
      civilId: text,
      /** Evidence of the verification, for later investigation; never a secret. */
      evidence: textMap,
      /** SHA-256 of the one-time enrolment token, lower-case hexadecimal. */
      enrolmentTokenHash: text,
      verifiedAt: text,
      tokenExpiresAt: text,
    },
    personal: {
      subject: civilIdOf,
      placeholders: { evidence: { [FORGOTTEN]: FORGOTTEN } },
    },
    audit: {
      type: 'KYC_SUCCEED',
      civilId: civilIdOf,
      details: ({ attempt }) => ({ attempt }),
    },
  }),

  /** All attempts failed. */
  IdentityVerificationExhausted: event({
    data: {
      exhaustedAt: text,
    },
    audit: { type: 'KYC_EXHAUST', isDenied: true },
  }),

  IdentityVerificationExpired: event({
    data: {
      expiredAt: text,
    },
    audit: { type: 'KYC_EXPIRE' },
  }),

  /** Cancelled by its caller, before an outcome. */
  IdentityVerificationCancelled: event({
    data: {
      cancelledAt: text,
    },
    audit: { type: 'KYC_CANCEL' },
  }),
});

export type IdentityVerificationEvent = EventOf<typeof identityVerificationEvents>;
export type IdentityVerificationStarted = EventOf<
  typeof identityVerificationEvents,
  'IdentityVerificationStarted'
>;
export type IdentityVerificationSucceeded = EventOf<
  typeof identityVerificationEvents,
  'IdentityVerificationSucceeded'
>;
