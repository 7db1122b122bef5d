import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import { nullable, text } from '../shared/eventFields.ts';
import { partOf } from '../shared/settings.ts';
import { oidcClientSettings, specialSettings } from './settings.ts';

// Storage format: see domain/shared/defineEvents.ts.

const settings = partOf(oidcClientSettings, 'event');

const administration = {
  capability: 'rp:write',
  subject: ({ clientId }: { readonly clientId: string }) => clientId,
} as const;

export const oidcClientEvents = defineEvents('oidcClient', {
  OidcClientRegistered: event({
    version: 10,
    data: {
      ...settings,
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
        ...others
      }) => ({
        name,
        relyingPartyId,
        redirectUris,
        scopes,
        authMethod,
        idTokenSignedResponseAlg,
        ...specialSettings(others),
      }),
    },
  }),

  /** All settings after the change. */
  OidcClientEdited: event({
    version: 10,
    data: {
      ...settings,
      clientId: text,
      editedAt: text,
    },
    audit: {
      type: 'OIDC_CLIENT_EDIT',
      ...administration,
      details: ({
        name,
        redirectUris,
        scopes,
        authMethod,
        idTokenSignedResponseAlg,
        ...others
      }) => ({
        name,
        redirectUris,
        scopes,
        authMethod,
        idTokenSignedResponseAlg,
        ...specialSettings(others),
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

  /** Offer of a new secret by a hand-over link, for the first use of it; the present secret is valid until then. */
  OidcClientSecretOffered: event({
    data: {
      clientId: text,
      tokenHash: text,
      until: text,
      offeredAt: text,
    },
    audit: {
      type: 'OIDC_CLIENT_SECRET_OFFER',
      ...administration,
      details: ({ until }) => ({ until }),
    },
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
