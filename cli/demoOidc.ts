import { createHash, randomBytes } from 'node:crypto';
import type { OidcClientSettings } from '../domain/oidcClient/events.ts';
import { openIdScopeNames } from '../domain/shared/openIdScopes.ts';
import type { Service } from '../main.ts';

/** What `.tamga/demo.json` tells a client of the OpenID Connect provider. */
export interface DemoOidcClient {
  readonly issuer: string;
  readonly discovery: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUris: readonly string[];
}

/** Where clients on a developer's machine usually listen. */
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
  organization: null,
};

/** The demo's client: the one of an earlier run while it is known and active, otherwise a new one. */
export async function prepareOidcClient(
  { openIdConnect }: Service,
  relyingPartyId: string,
  known: DemoOidcClient | undefined,
): Promise<DemoOidcClient> {
  const registered = await openIdConnect.list();
  const kept = registered.find(
    ({ clientId, active, ...client }) =>
      active && client.relyingPartyId === relyingPartyId && clientId === known?.clientId,
  );
  const issuer = openIdConnect.issuer();
  const addresses = { issuer, discovery: `${issuer}/.well-known/openid-configuration` };
  if (kept !== undefined && known !== undefined) return { ...known, ...addresses };
  const { clientId, clientSecret } = await openIdConnect.register({ ...settings, relyingPartyId });
  return { ...addresses, clientId, clientSecret: clientSecret ?? '', redirectUris };
}

/** A request one can open in a browser; the client that listens needs the verifier to go on (RFC 7636). */
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
