import { createHash, randomBytes } from 'node:crypto';
import type { OidcClientSettings } from '../domain/oidcClient/events.ts';
import { demoOrganization } from './demo.ts';
import { openIdScopeNames } from '../domain/shared/openIdScopes.ts';
import type { Service } from '../main.ts';

/** OpenID Connect client of `.tamga/demo.json`. */
export interface DemoOidcClient {
  readonly issuer: string;
  readonly discovery: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
}

/** Usual redirect URIs of clients on a developer's machine. */
const redirectUris = [
  'http://localhost:3000/callback',
  'http://127.0.0.1:3000/callback',
  'http://localhost:8081/callback',
  'http://127.0.0.1:8081/callback',
];

const settings: OidcClientSettings = {
  name: 'Туршилтын портал',
  nameEn: 'Demo portal',
  redirectUris,
  postLogoutRedirectUris: ['http://localhost:3000/', 'http://127.0.0.1:3000/'],
  backchannelLogoutUri: null,
  authMethod: 'client_secret_basic',
  keys: [],
  scopes: [...openIdScopeNames],
  sector: 'demo',
  logoUri: null,
  clientUri: null,
  organization: demoOrganization.register,
};

/** Demo client: that of an earlier run while it exists and is active, else a new one. */
export async function prepareOidcClient(
  { openIdConnect }: Service,
  relyingPartyId: string,
  known: DemoOidcClient | undefined,
): Promise<DemoOidcClient> {
  const registered = await openIdConnect.list();
  const existing = registered.find(
    ({ clientId, active, ...client }) =>
      active &&
      client.relyingPartyId === relyingPartyId &&
      clientId === known?.clientId &&
      // Registered before scopes of the platform API needed an organization.
      client.settings.organization !== null,
  );
  const issuer = openIdConnect.issuer();
  const addresses = { issuer, discovery: `${issuer}/.well-known/openid-configuration` };
  if (existing !== undefined && known !== undefined) return { ...known, ...addresses };
  const { clientId, clientSecret } = await openIdConnect.register({ ...settings, relyingPartyId });
  return { ...addresses, clientId, clientSecret: clientSecret ?? '', redirectUris };
}

/** Authorization request to open in a browser, with the verifier its client needs (RFC 7636). */
export function exampleRequest({ issuer, clientId }: DemoOidcClient) {
  const verifier = randomBytes(32).toString('base64url');
  const parameters = new URLSearchParams({
    client_id: clientId,
    response_type: 'code',
    redirect_uri: redirectUris[0] ?? '',
    scope: 'openid profile',
    state: randomBytes(8).toString('base64url'),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  return { verifier, url: `${issuer}/oidc/authorize?${parameters.toString()}` };
}
