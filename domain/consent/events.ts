import { civilIdOf } from '../shared/etsi.ts';
import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { list, text } from '../shared/eventFields.ts';
import { consentScope } from '../shared/consentScopes.ts';

// Storage format: see domain/shared/defineEvents.ts.

const clientIdOf = (data: { readonly clientId: string }) => data.clientId;

export const consentEvents = defineEvents('consent', {
  /** A citizen agreed that a client learns or may do this. */
  ConsentGiven: event({
    version: 2,
    data: {
      civilId: text,
      clientId: text,
      /** All that is agreed to from now on. */
      scopes: list(consentScope),
      givenAt: text,
    },
    audit: {
      type: 'CONSENT_GIVE',
      subject: clientIdOf,
      civilId: civilIdOf,
      details: ({ scopes }) => ({ scopes }),
    },
  }),

  ConsentWithdrawn: event({
    data: {
      civilId: text,
      clientId: text,
      withdrawnAt: text,
    },
    audit: {
      type: 'CONSENT_WITHDRAW',
      subject: clientIdOf,
      civilId: civilIdOf,
    },
  }),
});

export type ConsentEvent = EventOf<typeof consentEvents>;
