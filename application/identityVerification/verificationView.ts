import {
  attemptsLeft,
  type BegunVerification,
  type VerificationStatus,
} from '../../domain/identityVerification/identityVerification.ts';
import type {
  VerificationFailure,
  VerificationMethod,
} from '../../domain/identityVerification/events.ts';
import type { IdentityProviders, NextStep } from './ports/identityProvider.ts';
import { turnOf, type VerificationHolder } from './holder.ts';

/** Data of a verified identity, for the client that started the verification. */
export interface VerifiedIdentity {
  /** For one phone; never stored. */
  readonly enrolmentToken: string;
  readonly expiresAt: Date;
  /** `PNOMN-<civil id>`. */
  readonly etsi: string;
}

/** View of an identity verification for the client that started it. */
export interface VerificationView {
  readonly verificationId: string;
  readonly method: VerificationMethod;
  readonly status: VerificationStatus;
  readonly expiresAt: string;
  readonly attemptsLeft: number;
  /** Reason of the last failed attempt; null: none. */
  readonly failure: VerificationFailure | null;
  /** Next step of the person; null: none. */
  readonly step: NextStep | null;
  /** Null unless verified, and after the token has expired. */
  readonly verified: VerifiedIdentity | null;
}

/** @param now ISO 8601; an overdue verification is shown as expired */
export function viewOf(
  begun: BegunVerification,
  holder: VerificationHolder,
  { providers, now }: { readonly providers: IdentityProviders; readonly now: string },
): VerificationView {
  const { started, lastFailure, attempts } = begun;
  const status = begun.status === 'PENDING' && now >= started.expiresAt ? 'EXPIRED' : begun.status;
  const left = status === 'PENDING' ? attemptsLeft(begun, now) : 0;
  const provider = providers[started.method];
  return {
    verificationId: started.verificationId,
    method: started.method,
    status,
    expiresAt: started.expiresAt,
    attemptsLeft: left,
    failure: status === 'VERIFIED' ? null : lastFailure,
    step: left === 0 ? null : (provider?.nextStep(turnOf(holder, attempts)) ?? null),
    verified: null,
  };
}
