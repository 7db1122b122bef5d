import type { DomainEvent } from '../shared/decider.ts';

// Storage format: see domain/session/events.ts. Attempts to get in, for auditors: they change no state. The address is in
// the metadata; what was typed is nowhere, for it may be a password in the wrong field.

/** What is asked for, one after the other. */
export type SignInStep = 'PASSWORD' | 'SECOND_FACTOR';

/** The first of two steps: who knows the password has not signed in yet. */
export type PasswordAccepted = DomainEvent<
  'PasswordAccepted',
  { readonly operatorId: string; readonly acceptedAt: string }
>;

export type SignInFailed = DomainEvent<
  'SignInFailed',
  {
    /** Null: no operator has this e-mail. */
    readonly operatorId: string | null;
    readonly step: SignInStep;
    readonly reason: 'UNKNOWN' | 'WRONG' | 'REPLAYED' | 'DEACTIVATED';
    /** Attempts by strangers before this one that have no event of their own, because there were too many. */
    readonly omitted: number;
    readonly failedAt: string;
  }
>;

/** Further attempts are refused unseen for a while; told once each time. */
export type SignInThrottled = DomainEvent<
  'SignInThrottled',
  {
    readonly operatorId: string | null;
    readonly step: SignInStep;
    readonly omitted: number;
    readonly throttledAt: string;
  }
>;

export type OperatorSignedOut = DomainEvent<
  'OperatorSignedOut',
  { readonly operatorId: string; readonly sessionId: string; readonly signedOutAt: string }
>;

/** The break-glass key opened the operator API; told once a minute and address, as the requests are audited themselves. */
export type BreakGlassKeyUsed = DomainEvent<'BreakGlassKeyUsed', { readonly usedAt: string }>;

export type BreakGlassKeyRefused = DomainEvent<
  'BreakGlassKeyRefused',
  { readonly omitted: number; readonly refusedAt: string }
>;

export type SignInEvent =
  | PasswordAccepted
  | SignInFailed
  | SignInThrottled
  | OperatorSignedOut
  | BreakGlassKeyUsed
  | BreakGlassKeyRefused;
