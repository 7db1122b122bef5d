import { createHash, randomBytes } from 'node:crypto';
import {
  initialOidcClientSettings,
  type OidcClientSettings,
} from '../../domain/oidcClient/settings.ts';
import { demoOrganization } from './demo.ts';
import { openIdScopeNames } from '../../domain/shared/openIdScopes.ts';
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
  ...initialOidcClientSettings,
  name: 'Туршилтын портал',
  nameEn: 'Demo portal',
  redirectUris,
  postLogoutRedirectUris: ['http://localhost:3000/', 'http://127.0.0.1:3000/'],
  scopes: openIdScopeNames,
  organization: demoOrganization.register,
  authorizationDetailsTypes: ['payment_initiation'],
};

/** Addresses Demo Bank is returned to after a payment: beside the service, and run alone. */
const paidAt = (origin: string) => [`${origin}/demo/paid`, 'http://127.0.0.1:3000/paid'];

/**
 * The client of an earlier run while it is active and set as the demo needs it, with a new secret where the known one
 * is not accepted; else a new one.
 */
export async function prepareOidcClient(
  { origin, openIdConnect }: Pick<Service, 'origin' | 'openIdConnect'>,
  relyingPartyId: string,
  known: DemoOidcClient | undefined,
): Promise<DemoOidcClient> {
  const wanted = {
    ...settings,
    sector: relyingPartyId,
    redirectUris: [...redirectUris, ...paidAt(origin)],
  };
  const registered = await openIdConnect.list();
  const usable = registered.filter(
    (client) =>
      client.active &&
      client.relyingPartyId === relyingPartyId &&
      isDemoClient(client.settings, wanted),
  );
  const existing = usable.find(({ clientId }) => clientId === known?.clientId) ?? usable[0];
  const issuer = openIdConnect.issuer();
  const addresses = { issuer, discovery: `${issuer}/.well-known/openid-configuration` };
  if (existing === undefined) {
    const others = registered.filter((client) => client.relyingPartyId !== relyingPartyId);
    const names = freeNames(new Set(others.map((client) => client.settings.name)));
    const made = await openIdConnect.register({ ...wanted, ...names, relyingPartyId });
    return { ...addresses, redirectUris, ...credentialsOf(made) };
  }
  const { clientId } = existing;
  const clientSecret = clientId === known?.clientId ? known.clientSecret : '';
  if (await isAccepted(origin, { clientId, clientSecret })) {
    return { ...addresses, redirectUris, clientId, clientSecret };
  }
  const rotated = await openIdConnect.rotateSecret(clientId);
  return { ...addresses, redirectUris, ...credentialsOf(rotated) };
}

/** Names that no client of another relying party has, which keeps them even when it was deactivated. */
function freeNames(taken: ReadonlySet<string>): Pick<OidcClientSettings, 'name' | 'nameEn'> {
  for (let number = 1; ; number += 1) {
    const suffix = number === 1 ? '' : ` ${number}`;
    const names = { name: settings.name + suffix, nameEn: `Demo portal${suffix}` };
    if (!taken.has(names.name)) return names;
  }
}

type Credentials = Pick<DemoOidcClient, 'clientId' | 'clientSecret'>;

const credentialsOf = ({
  clientId,
  clientSecret,
}: {
  readonly clientId: string;
  readonly clientSecret: string | null;
}): Credentials => ({ clientId, clientSecret: clientSecret ?? '' });

/** Reports if a client can do what the demo shows. */
function isDemoClient(client: OidcClientSettings, wanted: OidcClientSettings): boolean {
  return (
    client.authMethod === wanted.authMethod &&
    client.organization !== null &&
    wanted.redirectUris.every((uri) => client.redirectUris.includes(uri)) &&
    wanted.scopes.every((scope) => client.scopes.includes(scope)) &&
    wanted.authorizationDetailsTypes.every((type) =>
      client.authorizationDetailsTypes.includes(type),
    )
  );
}

/** Hands in a code nobody got: `invalid_grant` for the client, `invalid_client` for a wrong secret (RFC 6749 §5.2). */
async function isAccepted(
  origin: string,
  { clientId, clientSecret }: Credentials,
): Promise<boolean> {
  if (clientSecret === '') return false;
  const answer = await fetch(`${origin}/oidc/token`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
    },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: 'none',
      code_verifier: 'none',
      redirect_uri: redirectUris[0] ?? '',
    }),
  });
  return answer.status === 400;
}

/** Authorization request to open in a browser, with the verifier its client needs (RFC 7636). */
function exampleRequest({ issuer, clientId }: DemoOidcClient) {
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

/** Lines on a login to try in a browser, with the settings of the client. */
export function loginToTry(client: DemoOidcClient | null): readonly string[] {
  if (client === null) return [];
  const { issuer, clientId, clientSecret } = client;
  const { url, verifier } = exampleRequest(client);
  return [
    `  log in     as 110000000001, who confirms by itself; issuer ${issuer}, OpenID Connect; redirect to ${client.redirectUris.join(' or ')}`,
    `             client_id ${clientId}`,
    `             client_secret ${clientSecret}`,
    `             for example ${url}`,
    '             Nobody listens there: the browser ends at an address with code=…, good for a minute:',
    `             curl -u ${clientId}:${clientSecret} -d grant_type=authorization_code -d code=… ` +
      `-d code_verifier=${verifier} -d redirect_uri=${client.redirectUris[0] ?? ''} ${issuer}/oidc/token`,
    `             what citizens agreed to: ${issuer}/login/consents`,
  ];
}
