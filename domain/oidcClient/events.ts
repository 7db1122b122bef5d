import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import {
  type Fields,
  list,
  nullable,
  oneOf,
  text,
  textMap,
  type ValueOf,
} from '../shared/eventFields.ts';
import { openIdScopeNames } from '../shared/openIdScopes.ts';

// Storage format: see domain/shared/defineEvents.ts.

/**
 * Authentication methods of clients at the token endpoint (OpenID Connect Core §9); `none`: a public client, PKCE
 * alone.
 */
export const clientAuthMethods = [
  'client_secret_basic',
  'client_secret_post',
  'private_key_jwt',
  'none',
] as const;

export type ClientAuthMethod = (typeof clientAuthMethods)[number];

/**
 * Algorithms of ID and logout tokens that a client may choose (RFC 7518 §3.1), the preferred one first. RS256 is
 * mandatory for providers (OpenID Connect Core §15.1).
 */
export const idTokenAlgorithms = ['ES256', 'RS256', 'PS256'] as const;

export type IdTokenAlgorithm = (typeof idTokenAlgorithms)[number];

/** Of clients that ask for none, and of those registered before there was a choice. */
export const defaultIdTokenAlgorithm: IdTokenAlgorithm = 'ES256';

const clientKey = textMap;

/** A public key of a client (RFC 7517), members as strings. */
export type ClientKey = ValueOf<typeof clientKey>;

const oidcClientSettings = {
  /** Shown to citizens who read Mongolian. */
  name: text,
  /** Shown to the others; null: `name`. */
  nameEn: nullable(text),
  /** Exact addresses (OAuth 2.1 §4.1.1): https, or http on the machine itself in development. */
  redirectUris: list(text),
  postLogoutRedirectUris: list(text),
  /** OpenID Connect Back-Channel Logout §2.2; null: not told. */
  backchannelLogoutUri: nullable(text),
  authMethod: oneOf(clientAuthMethods),
  /** Of `private_key_jwt`; empty otherwise. */
  keys: list(clientKey),
  /** Scopes it may request; `openid` always. */
  scopes: list(oneOf(openIdScopeNames)),
  /** Clients of one sector know a citizen by the same `sub` (OpenID Connect Core §8.1). */
  sector: text,
  logoUri: nullable(text),
  clientUri: nullable(text),
  /** National registration number of the organization it belongs to; null: none is known. */
  organization: nullable(text),
  /** OpenID Connect Registration §2: signs its ID and logout tokens. */
  idTokenSignedResponseAlg: oneOf(idTokenAlgorithms),
};

/** Settings of a client, decided by operators (OpenID Connect Registration §2 names the fields). */
export type OidcClientSettings = Fields<typeof oidcClientSettings>;

const administration = {
  capability: 'rp:write',
  subject: ({ clientId }: { readonly clientId: string }) => clientId,
} as const;

export const oidcClientEvents = defineEvents('oidcClient', {
  OidcClientRegistered: event({
    version: 2,
    data: {
      ...oidcClientSettings,
      clientId: text,
      /** In whose name citizens are asked; never changes. */
      relyingPartyId: text,
      /** SHA-256 of the secret, lower-case hexadecimal; null: it has none. */
      secretHash: nullable(text),
      registeredAt: text,
    },
    audit: {
      type: 'OIDC_CLIENT_REGISTER',
      ...administration,
      details: ({
        name,
        relyingPartyId,
        redirectUris,
        scopes,
        authMethod,
        idTokenSignedResponseAlg,
      }) => ({
        name,
        relyingPartyId,
        redirectUris,
        scopes,
        authMethod,
        idTokenSignedResponseAlg,
      }),
    },
  }),

  /** All settings after the change. */
  OidcClientEdited: event({
    version: 2,
    data: {
      ...oidcClientSettings,
      clientId: text,
      editedAt: text,
    },
    audit: {
      type: 'OIDC_CLIENT_EDIT',
      ...administration,
      details: ({ name, redirectUris, scopes, authMethod, idTokenSignedResponseAlg }) => ({
        name,
        redirectUris,
        scopes,
        authMethod,
        idTokenSignedResponseAlg,
      }),
    },
  }),

  OidcClientSecretRotated: event({
    data: {
      clientId: text,
      secretHash: text,
      rotatedAt: text,
    },
    audit: { type: 'OIDC_CLIENT_SECRET_ROTATE', ...administration },
  }),

  OidcClientDeactivated: event({
    data: {
      clientId: text,
      deactivatedAt: text,
    },
    audit: { type: 'OIDC_CLIENT_DEACTIVATE', ...administration },
  }),

  OidcClientReactivated: event({
    data: {
      clientId: text,
      reactivatedAt: text,
    },
    audit: { type: 'OIDC_CLIENT_REACTIVATE', ...administration },
  }),
});

export type OidcClientEvent = EventOf<typeof oidcClientEvents>;
export type OidcClientRegistered = EventOf<typeof oidcClientEvents, 'OidcClientRegistered'>;
