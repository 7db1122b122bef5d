import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { nullable, number, oneOf, text } from '../shared/eventFields.ts';

// Storage format: see domain/shared/defineEvents.ts.

const signInSteps = ['PASSWORD', 'SECOND_FACTOR'] as const;

/** Steps of a login, in order. */
export type SignInStep = (typeof signInSteps)[number];

const operatorIdOf = (data: { readonly operatorId: string }) => data.operatorId;
const operatorOrNobody = (data: { readonly operatorId: string | null }) => data.operatorId ?? '-';

/**
 * Sign-in attempts, for auditors: they change no state; one stream a day. The address is in the metadata. Entered texts
 * are not recorded, since one may be a password in the wrong field.
 */
export const signInEvents = defineEvents('operatorAccess', {
  /** The first of two steps: who knows the password has not signed in yet. */
  PasswordAccepted: event({
    data: {
      operatorId: text,
      acceptedAt: text,
    },
    audit: { type: 'OPERATOR_PASSWORD_ACCEPT', subject: operatorIdOf },
  }),

  SignInFailed: event({
    data: {
      /** Null: no operator has this e-mail. */
      operatorId: nullable(text),
      step: oneOf(signInSteps),
      reason: oneOf(['UNKNOWN', 'WRONG', 'REPLAYED', 'DEACTIVATED']),
      /** Earlier attempts without an event of their own, beyond the limit of events a minute for anonymous callers. */
      omitted: number,
      failedAt: text,
    },
    audit: {
      type: 'OPERATOR_SIGN_IN',
      isDenied: true,
      subject: operatorOrNobody,
      details: ({ step, reason, omitted }) => ({ step, reason, omitted }),
    },
  }),

  /** Further attempts are refused unchecked; recorded once per lockout. */
  SignInThrottled: event({
    data: {
      operatorId: nullable(text),
      step: oneOf(signInSteps),
      omitted: number,
      throttledAt: text,
    },
    audit: {
      type: 'OPERATOR_THROTTLE',
      isDenied: true,
      subject: operatorOrNobody,
      details: ({ step, omitted }) => ({ step, omitted }),
    },
  }),

  OperatorSignedOut: event({
    data: {
      operatorId: text,
      sessionId: text,
      signedOutAt: text,
    },
    audit: { type: 'OPERATOR_SIGN_OUT', subject: operatorIdOf },
  }),

  /**
   * The break-glass key was used at the operator API; recorded once a minute and address, as its requests are audited
   * themselves.
   */
  BreakGlassKeyUsed: event({
    data: {
      usedAt: text,
    },
    audit: { type: 'BREAK_GLASS', subject: () => 'break-glass' },
  }),

  BreakGlassKeyRefused: event({
    data: {
      omitted: number,
      refusedAt: text,
    },
    audit: {
      type: 'BREAK_GLASS',
      isDenied: true,
      subject: () => 'break-glass',
      details: ({ omitted }) => ({ omitted }),
    },
  }),
});

export type SignInEvent = EventOf<typeof signInEvents>;
