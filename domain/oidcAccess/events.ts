import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { list, nullable, oneOf, text } from '../shared/eventFields.ts';
import { civilIdOf, organizationEtsi, personOf } from '../shared/etsi.ts';

// Storage format: see domain/shared/defineEvents.ts.

const clientIdOf = (data: { readonly clientId: string }) => data.clientId;

/** Reasons for refusing a credential that only misuse or a defect explains. */
export const credentialRefusals = [
  'CLIENT_AUTHENTICATION_FAILED',
  'CODE_REPLAYED',
  'REFRESH_TOKEN_REPLAYED',
  'CODE_VERIFIER_WRONG',
] as const;

/** Logins through OpenID Connect: facts that change no state and must be shown to auditors; one stream a day. */
export const oidcAccessEvents = defineEvents('oidcAccess', {
  /** A citizen logged in to a client of the OpenID Connect provider. */
  CitizenLoggedIn: event({
    data: {
      clientId: text,
      civilId: text,
      /** The session the citizen answered. */
      sessionId: text,
      /** Authentication context class (OpenID Connect Core §2). */
      acr: text,
      /** Register of the organization the citizen acts for; null: the citizen alone. */
      register: nullable(text),
      loggedInAt: text,
    },
    audit: {
      type: 'OIDC_LOGIN',
      subject: clientIdOf,
      civilId: civilIdOf,
      details: ({ sessionId, acr, register }) => ({
        sessionId,
        acr,
        ...(register !== null && { organization: organizationEtsi(register) }),
      }),
    },
  }),

  /** A credential was refused at the provider for a reason that only misuse or a defect explains. */
  CredentialRefused: event({
    data: {
      clientId: text,
      /** Owner; null: unknown. */
      civilId: nullable(text),
      reason: oneOf(credentialRefusals),
      refusedAt: text,
    },
    audit: {
      type: 'OIDC_CREDENTIAL_REFUSE',
      isDenied: true,
      subject: clientIdOf,
      civilId: civilIdOf,
      details: ({ reason }) => ({ code: reason }),
    },
  }),

  /** An API was let act for a citizen at another one. */
  TokenExchanged: event({
    data: {
      /** Of the API that acts. */
      clientId: text,
      civilId: text,
      /** The client_id of the API it acts at. */
      apiId: text,
      scopes: list(text),
      exchangedAt: text,
    },
    audit: {
      type: 'OIDC_TOKEN_EXCHANGE',
      subject: clientIdOf,
      civilId: civilIdOf,
      details: ({ apiId, scopes }) => ({ apiId, scopes }),
    },
  }),

  /** A citizen logged out at the provider, which ended the logins at these clients in the same browser. */
  CitizenLoggedOut: event({
    data: { civilId: text, clientIds: list(text), loggedOutAt: text },
    audit: {
      type: 'OIDC_LOGOUT',
      subject: personOf,
      civilId: civilIdOf,
      details: ({ clientIds }) => ({ clientIds }),
    },
  }),

  /** A client changed its stream of security events (Shared Signals Framework 1.0 §8). */
  SignalStreamChanged: event({
    data: {
      clientId: text,
      streamId: text,
      change: oneOf(['CREATED', 'CHANGED', 'DELETED']),
      status: oneOf(['enabled', 'paused', 'disabled']),
      /** Origin that events are pushed to; null: the client polls. */
      origin: nullable(text),
      changedAt: text,
    },
    audit: {
      type: 'OIDC_SIGNAL_STREAM_CHANGE',
      subject: clientIdOf,
      details: ({ streamId, change, status, origin }) => ({ streamId, change, status, origin }),
    },
  }),

  /** A client did not take a logout token for a day. */
  LogoutUndelivered: event({
    data: { clientId: text, endedAt: text, givenUpAt: text },
    audit: {
      type: 'OIDC_LOGOUT_UNDELIVERED',
      subject: clientIdOf,
      details: ({ endedAt }) => ({ endedAt }),
    },
  }),

  /** The provider ended all that let clients act for a citizen. */
  LoginsEnded: event({
    data: {
      civilId: text,
      reason: oneOf(['IDENTITY_UNUSABLE', 'PERSON_FORGOTTEN']),
      endedAt: text,
    },
    audit: {
      type: 'OIDC_LOGINS_END',
      subject: personOf,
      civilId: civilIdOf,
      details: ({ reason }) => ({ reason }),
    },
  }),
});

export type OidcAccessEvent = EventOf<typeof oidcAccessEvents>;
export type CredentialRefused = EventOf<typeof oidcAccessEvents, 'CredentialRefused'>;
export type LoginsEnded = EventOf<typeof oidcAccessEvents, 'LoginsEnded'>;
export type CitizenLoggedOut = EventOf<typeof oidcAccessEvents, 'CitizenLoggedOut'>;
export type SignalStreamChanged = EventOf<typeof oidcAccessEvents, 'SignalStreamChanged'>;
export type TokenExchanged = EventOf<typeof oidcAccessEvents, 'TokenExchanged'>;
