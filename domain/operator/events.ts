import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { boolean, nullable, number, oneOf, text } from '../shared/eventFields.ts';
import { FORGOTTEN } from '../shared/personalData.ts';
import { partOf } from '../shared/settings.ts';
import { operatorRoles } from './capabilities.ts';
import { operatorSettings } from './settings.ts';

// Storage format: see domain/shared/defineEvents.ts.

const operatorIdOf = (data: { readonly operatorId: string }) => data.operatorId;

/** Subject of an operator's data key, which cannot be confused with a civil id. */
export function operatorSubject({ operatorId }: { readonly operatorId: string }): string {
  return `operator:${operatorId}`;
}

const administration = { capability: 'admin:manage', subject: operatorIdOf } as const;

const passwordIsEncrypted = {
  subject: operatorSubject,
  placeholders: { passwordHash: FORGOTTEN },
};

const { email, ...others } = partOf(operatorSettings, 'event');

/** Operators share one stream, because the last SUPER_ADMIN must be kept. */
export const operatorEvents = defineEvents('operators', {
  OperatorAdded: event({
    data: {
      operatorId: text,
      email,
      /** In the form of the password hashing port, parameters included. */
      passwordHash: text,
      ...others,
      /** True: every request but the change of the password is refused. */
      mustChangePassword: boolean,
      addedAt: text,
    },
    personal: {
      subject: operatorSubject,
      placeholders: { email: FORGOTTEN, passwordHash: FORGOTTEN },
    },
    audit: {
      type: 'OPERATOR_ADD',
      ...administration,
      details: ({ role, mustChangePassword }) => ({ role, mustChangePassword }),
    },
  }),

  OperatorRoleChanged: event({
    data: {
      operatorId: text,
      from: oneOf(operatorRoles),
      to: oneOf(operatorRoles),
      changedAt: text,
    },
    audit: {
      type: 'OPERATOR_ROLE_CHANGE',
      ...administration,
      details: ({ from, to }) => ({ from, to }),
    },
  }),

  /** For good. */
  OperatorDeactivated: event({
    data: {
      operatorId: text,
      deactivatedAt: text,
    },
    audit: { type: 'OPERATOR_DEACTIVATE', ...administration },
  }),

  /** All sessions of the operator end, but for the one named. */
  PasswordChanged: event({
    data: {
      operatorId: text,
      passwordHash: text,
      /** True when somebody else set it. */
      mustChangePassword: boolean,
      /** The session it was changed in, which stays valid; null when another operator changed it. */
      sessionId: nullable(text),
      changedAt: text,
    },
    personal: passwordIsEncrypted,
    audit: {
      type: 'OPERATOR_PASSWORD_CHANGE',
      subject: operatorIdOf,
      details: ({ mustChangePassword }) => ({ mustChangePassword }),
    },
  }),

  /** The same password under newer parameters. */
  PasswordRehashed: event({
    data: {
      operatorId: text,
      passwordHash: text,
      rehashedAt: text,
    },
    personal: passwordIsEncrypted,
    audit: { type: 'OPERATOR_PASSWORD_REHASH', subject: operatorIdOf },
  }),

  /** An authenticator proved that it holds the secret; the operator's first sign-in. */
  SecondFactorEnrolled: event({
    data: {
      operatorId: text,
      /** Base32. */
      secret: text,
      /** The counter of RFC 6238 its first code was made for: used up. */
      counter: number,
      sessionId: text,
      enrolledAt: text,
    },
    personal: { subject: operatorSubject, placeholders: { secret: FORGOTTEN } },
    audit: { type: 'OPERATOR_MFA_ENROL', subject: operatorIdOf },
  }),

  /** The next sign-in enrols an authenticator anew; all sessions of the operator end. */
  SecondFactorReset: event({
    data: {
      operatorId: text,
      resetAt: text,
    },
    audit: { type: 'OPERATOR_MFA_RESET', ...administration },
  }),
});

/** A stream for each operator. */
export const secondFactorEvents = defineEvents('secondFactor', {
  /**
   * The operator signed in. Codes of this counter and earlier ones are no longer accepted. In a stream of each
   * operator, since it grows with every sign-in and no decision about other operators needs it.
   */
  SecondFactorUsed: event({
    data: {
      operatorId: text,
      counter: number,
      sessionId: text,
      usedAt: text,
    },
    audit: { type: 'OPERATOR_SIGN_IN', subject: operatorIdOf },
  }),
});

export type OperatorEvent = EventOf<typeof operatorEvents>;
export type SecondFactorUsed = EventOf<typeof secondFactorEvents>;
