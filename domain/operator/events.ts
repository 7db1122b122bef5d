import type { DomainEvent } from '../shared/decider.ts';
import { FORGOTTEN, type PersonalData } from '../shared/personalData.ts';
import type { OperatorRole } from './capabilities.ts';

// Storage format: see domain/session/events.ts. All operators are one stream: who may be taken away is decided together.

export type OperatorAdded = DomainEvent<
  'OperatorAdded',
  {
    readonly operatorId: string;
    /** Lower case; unique, deactivated operators included. */
    readonly email: string;
    /** In the form of the password hashing port, parameters included. */
    readonly passwordHash: string;
    readonly role: OperatorRole;
    /** Nothing but a new password is allowed before the password is changed. */
    readonly mustChangePassword: boolean;
    readonly addedAt: string;
  }
>;

export type OperatorRoleChanged = DomainEvent<
  'OperatorRoleChanged',
  {
    readonly operatorId: string;
    readonly from: OperatorRole;
    readonly to: OperatorRole;
    readonly changedAt: string;
  }
>;

/** For good. */
export type OperatorDeactivated = DomainEvent<
  'OperatorDeactivated',
  { readonly operatorId: string; readonly deactivatedAt: string }
>;

/** All sessions of the operator end, but for the one named. */
export type PasswordChanged = DomainEvent<
  'PasswordChanged',
  {
    readonly operatorId: string;
    readonly passwordHash: string;
    /** True when somebody else set it. */
    readonly mustChangePassword: boolean;
    /** The session it was changed in, which goes on; null when somebody else changed it. */
    readonly sessionId: string | null;
    readonly changedAt: string;
  }
>;

/** The same password under newer parameters. */
export type PasswordRehashed = DomainEvent<
  'PasswordRehashed',
  { readonly operatorId: string; readonly passwordHash: string; readonly rehashedAt: string }
>;

/** An authenticator proved that it holds the secret; with this the operator signed in for the first time. */
export type SecondFactorEnrolled = DomainEvent<
  'SecondFactorEnrolled',
  {
    readonly operatorId: string;
    /** Base32. */
    readonly secret: string;
    /** The counter of RFC 6238 its first code was made for: used up. */
    readonly counter: number;
    readonly sessionId: string;
    readonly enrolledAt: string;
  }
>;

/**
 * The operator signed in. No code for this counter or an earlier one counts any more. In a stream of each operator: it
 * grows with every sign-in, and what all operators decide about together does not.
 */
export type SecondFactorUsed = DomainEvent<
  'SecondFactorUsed',
  {
    readonly operatorId: string;
    readonly counter: number;
    readonly sessionId: string;
    readonly usedAt: string;
  }
>;

/** The next sign-in enrols an authenticator anew; all sessions of the operator end. */
export type SecondFactorReset = DomainEvent<
  'SecondFactorReset',
  { readonly operatorId: string; readonly resetAt: string }
>;

export type OperatorEvent =
  | OperatorAdded
  | OperatorRoleChanged
  | OperatorDeactivated
  | PasswordChanged
  | PasswordRehashed
  | SecondFactorEnrolled
  | SecondFactorReset;

/** Whose key seals what is personal of an operator: one of their own, which no civil id can be mistaken for. */
export function operatorSubject({ operatorId }: { readonly operatorId: string }): string {
  return `operator:${operatorId}`;
}

const passwordIsSealed = {
  subject: operatorSubject,
  placeholders: { passwordHash: FORGOTTEN },
};

export const operatorPersonalData: PersonalData<OperatorEvent> = {
  OperatorAdded: {
    subject: operatorSubject,
    placeholders: { email: FORGOTTEN, passwordHash: FORGOTTEN },
  },
  PasswordChanged: passwordIsSealed,
  PasswordRehashed: passwordIsSealed,
  SecondFactorEnrolled: { subject: operatorSubject, placeholders: { secret: FORGOTTEN } },
};
