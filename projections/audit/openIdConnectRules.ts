import type { ConsentEvent } from '../../domain/consent/events.ts';
import type { OidcAccessEvent } from '../../domain/oidcAccess/events.ts';
import type { OidcClientEvent } from '../../domain/oidcClient/events.ts';
import { organizationEtsi, personEtsi } from '../../domain/shared/etsi.ts';
import type { AuditRules } from './rule.ts';

const clientId = (data: { readonly clientId: string }) => data.clientId;
const administration = { capability: 'rp:write', subject: clientId } as const;

/** How what happens at the OpenID Connect provider is audited. */
export const openIdConnectRules: AuditRules<OidcClientEvent | ConsentEvent | OidcAccessEvent> = {
  OidcClientRegistered: {
    type: 'OIDC_CLIENT_REGISTER',
    ...administration,
    details: ({ name, relyingPartyId, redirectUris, scopes, authMethod }) => ({
      ...{ name, relyingPartyId, redirectUris, scopes, authMethod },
    }),
  },
  OidcClientEdited: {
    type: 'OIDC_CLIENT_EDIT',
    ...administration,
    details: ({ name, redirectUris, scopes, authMethod }) => ({
      ...{ name, redirectUris, scopes, authMethod },
    }),
  },
  OidcClientSecretRotated: { type: 'OIDC_CLIENT_SECRET_ROTATE', ...administration },
  OidcClientDeactivated: { type: 'OIDC_CLIENT_DEACTIVATE', ...administration },
  OidcClientReactivated: { type: 'OIDC_CLIENT_REACTIVATE', ...administration },
  ConsentGiven: {
    type: 'CONSENT_GIVE',
    subject: clientId,
    civilId: (data) => data.civilId,
    details: ({ scopes }) => ({ scopes }),
  },
  ConsentWithdrawn: {
    type: 'CONSENT_WITHDRAW',
    subject: clientId,
    civilId: (data) => data.civilId,
  },
  CitizenLoggedIn: {
    type: 'OIDC_LOGIN',
    subject: clientId,
    civilId: (data) => data.civilId,
    details: ({ sessionId, acr, register }) => ({
      ...{ sessionId, acr },
      ...(register !== null && { organization: organizationEtsi(register) }),
    }),
  },
  CredentialRefused: {
    type: 'OIDC_CREDENTIAL_REFUSE',
    isDenied: true,
    subject: clientId,
    civilId: (data) => data.civilId,
    details: ({ reason }) => ({ code: reason }),
  },
  LoginsEnded: {
    type: 'OIDC_LOGINS_END',
    subject: (data) => personEtsi(data.civilId),
    civilId: (data) => data.civilId,
    details: ({ reason }) => ({ reason }),
  },
};
