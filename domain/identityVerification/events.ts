import type { DomainEvent } from '../shared/decider.ts';
import { FORGOTTEN, type PersonalData } from '../shared/personalData.ts';
import { passportFaults } from './passportFaults.ts';

// Storage format: see domain/session/events.ts.

/** The ways to verify an identity (specification, `GET /v3/kyc/methods`). */
export const verificationMethods = ['dan', 'gsign', 'passport', 'citizenCard'] as const;

export type VerificationMethod = (typeof verificationMethods)[number];

/** Why an attempt to verify an identity failed: one closed list, stable on the wire. */
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

/** Somebody set out to prove who they are. Who that is, is not known yet. */
export type IdentityVerificationStarted = DomainEvent<
  'IdentityVerificationStarted',
  {
    readonly verificationId: string;
    readonly method: VerificationMethod;
    /** SHA-256 of the secret of whoever started it, lower-case hexadecimal. */
    readonly secretHash: string;
    readonly attemptsAllowed: number;
    readonly startedAt: string;
    readonly expiresAt: string;
  }
>;

/** An attempt begins. It counts from here on, so that attempts at once and those a crash interrupts count too. */
export type IdentityVerificationAttempted = DomainEvent<
  'IdentityVerificationAttempted',
  { readonly attempt: number; readonly attemptedAt: string }
>;

export type IdentityVerificationAttemptFailed = DomainEvent<
  'IdentityVerificationAttemptFailed',
  {
    readonly attempt: number;
    readonly reason: VerificationFailure;
    /** False: the fault was not the person's, the attempt is given back. */
    readonly counts: boolean;
    readonly failedAt: string;
  }
>;

/** The person is known, and the hash of the one enrolment token that comes of it. */
export type IdentityVerificationSucceeded = DomainEvent<
  'IdentityVerificationSucceeded',
  {
    readonly attempt: number;
    readonly civilId: string;
    /** What it was verified by, for whoever looks into it later; never a secret. */
    readonly evidence: Readonly<Record<string, string>>;
    /** SHA-256 of the one-time enrolment token, lower-case hexadecimal. */
    readonly enrolmentTokenHash: string;
    readonly verifiedAt: string;
    readonly tokenExpiresAt: string;
  }
>;

/** All attempts failed. */
export type IdentityVerificationExhausted = DomainEvent<
  'IdentityVerificationExhausted',
  { readonly exhaustedAt: string }
>;

export type IdentityVerificationExpired = DomainEvent<
  'IdentityVerificationExpired',
  { readonly expiredAt: string }
>;

/** Whoever started it gave it up. */
export type IdentityVerificationCancelled = DomainEvent<
  'IdentityVerificationCancelled',
  { readonly cancelledAt: string }
>;

export type IdentityVerificationEvent =
  | IdentityVerificationStarted
  | IdentityVerificationAttempted
  | IdentityVerificationAttemptFailed
  | IdentityVerificationSucceeded
  | IdentityVerificationExhausted
  | IdentityVerificationExpired
  | IdentityVerificationCancelled;

export const identityVerificationPersonalData: PersonalData<IdentityVerificationEvent> = {
  IdentityVerificationSucceeded: {
    subject: ({ civilId }) => civilId,
    placeholders: { evidence: { [FORGOTTEN]: FORGOTTEN } },
  },
};
