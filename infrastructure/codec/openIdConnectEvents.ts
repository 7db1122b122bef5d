import { z } from 'zod';
import { clientAuthMethods } from '../../domain/oidcClient/events.ts';
import { openIdScopeNames } from '../../domain/shared/openIdScopes.ts';
import { optionalText, text } from './eventParts.ts';

const scopes = z.array(z.enum(openIdScopeNames));

const clientSettings = {
  name: text,
  nameEn: optionalText,
  redirectUris: z.array(text),
  postLogoutRedirectUris: z.array(text),
  backchannelLogoutUri: optionalText,
  authMethod: z.enum(clientAuthMethods),
  keys: z.array(z.record(text, text)),
  scopes,
  sector: text,
  logoUri: optionalText,
  clientUri: optionalText,
  organization: optionalText,
};

/** The catalog's rows of the OpenID Connect provider: its clients, consents, logins. */
export const openIdConnectEvents = {
  OidcClientRegistered: {
    version: 1,
    shape: {
      ...clientSettings,
      clientId: text,
      relyingPartyId: text,
      secretHash: optionalText,
      registeredAt: text,
    },
  },
  OidcClientEdited: {
    version: 1,
    shape: { ...clientSettings, clientId: text, editedAt: text },
  },
  OidcClientSecretRotated: {
    version: 1,
    shape: { clientId: text, secretHash: text, rotatedAt: text },
  },
  OidcClientDeactivated: { version: 1, shape: { clientId: text, deactivatedAt: text } },
  OidcClientReactivated: { version: 1, shape: { clientId: text, reactivatedAt: text } },
  ConsentGiven: { version: 1, shape: { civilId: text, clientId: text, scopes, givenAt: text } },
  ConsentWithdrawn: { version: 1, shape: { civilId: text, clientId: text, withdrawnAt: text } },
  CitizenLoggedIn: {
    version: 1,
    shape: {
      clientId: text,
      civilId: text,
      sessionId: text,
      acr: text,
      register: optionalText,
      loggedInAt: text,
    },
  },
  CredentialRefused: {
    version: 1,
    shape: {
      clientId: text,
      civilId: optionalText,
      reason: z.enum([
        'CLIENT_AUTHENTICATION_FAILED',
        'CODE_REPLAYED',
        'REFRESH_TOKEN_REPLAYED',
        'CODE_VERIFIER_WRONG',
      ]),
      refusedAt: text,
    },
  },
  LoginsEnded: {
    version: 1,
    shape: {
      civilId: text,
      reason: z.enum(['IDENTITY_UNUSABLE', 'PERSON_FORGOTTEN']),
      endedAt: text,
    },
  },
} as const;
