import {
  attemptsLeft,
  type BegunVerification,
  type VerificationStatus,
} from '../../domain/identityVerification/identityVerification.ts';
import type {
  VerificationFailure,
  VerificationMethod,
} from '../../domain/identityVerification/events.ts';
import type { IdentityProviders, NextStep } from '../ports/identityProvider.ts';
import { turnOf, type VerificationHolder } from './holder.ts';

/** What a verified identity is given: once, to whoever started the verification. */
export interface VerifiedIdentity {
  /** Good for one phone; never kept. */
  readonly enrolmentToken: string;
  readonly expiresAt: Date;
  /** `PNOMN-<civil id>`. */
  readonly etsi: string;
}

/** An identity verification as whoever started it sees it. */
export interface VerificationView {
  readonly verificationId: string;
  readonly method: VerificationMethod;
  readonly status: VerificationStatus;
  readonly expiresAt: string;
  readonly attemptsLeft: number;
  /** Why the last attempt failed; null: none did. */
  readonly failure: VerificationFailure | null;
  /** What to do now; null: nothing. */
  readonly step: NextStep | null;
  /** Null unless verified, and once the token has expired. */
  readonly verified: VerifiedIdentity | null;
}

/** @param now ISO 8601; what nobody has expired yet reads as expired already */
export function viewOf(
  begun: BegunVerification,
  holder: VerificationHolder,
  { providers, now }: { readonly providers: IdentityProviders; readonly now: string },
): VerificationView {
  const { started, lastFailure, attempts } = begun;
  const status = begun.status === 'PENDING' && now >= started.expiresAt ? 'EXPIRED' : begun.status;
  const left = status === 'PENDING' ? attemptsLeft(begun) : 0;
  const provider = providers[started.method];
  return {
    verificationId: started.verificationId,
    ...{ method: started.method, status, expiresAt: started.expiresAt, attemptsLeft: left },
    failure: status === 'VERIFIED' ? null : lastFailure,
    step: left === 0 ? null : (provider?.nextStep(turnOf(holder, attempts)) ?? null),
    verified: null,
  };
}
