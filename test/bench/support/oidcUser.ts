import { createHash } from 'node:crypto';
import type { OidcClientSettings } from '../../../domain/oidcClient/settings.ts';
import type { OidcBrowser } from '../../support/oidc/oidcBrowser.ts';
import { clientSettings } from '../../support/oidc/oidcLogin.ts';
import { jsonOf, openHttp, requestBytes, type WireAnswer } from './httpConnection.ts';

const redirectUri = 'https://bench.example.mn/callback';

/** Settings of the service's client. */
export const ownClient: OidcClientSettings = {
  ...clientSettings,
  name: 'Bench',
  nameEn: null,
  redirectUris: [redirectUri],
  postLogoutRedirectUris: [],
  scopes: ['openid', 'profile', 'offline_access'],
  sector: 'bench.example.mn',
  organization: null,
};

/** Metadata of the bare library's client. */
export const bareClient = {
  client_id: 'bench',
  client_secret: 'a secret of the bench, long enough',
  redirect_uris: [redirectUri],
  grant_types: ['authorization_code', 'refresh_token'],
  scope: 'openid profile offline_access',
};

/** A provider with the same paths, and the client known to it. */
export interface OidcTarget {
  readonly port: number;
  readonly clientId: string;
  readonly clientSecret: string;
}

/** Operations whose cost is measured. */
export const oidcOperations = [
  'codeFlow',
  'refresh',
  'userInfo',
  'introspection',
  'discovery',
  'keys',
] as const;

/** A browser that is logged in, and the client that has its tokens; one operation at a time. */
export type OidcUser = Readonly<Record<(typeof oidcOperations)[number], () => Promise<unknown>>> & {
  /** Opens the connection of the operations: the server ends one that is idle for long. */
  connect(): Promise<void>;
  close(): void;
};

interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
}

const verifier = 'a-verifier-of-the-bench-that-is-longer-than-forty-three-characters';

/**
 * Logs in.
 *
 * @param goThrough answers the pages that the first authorization request leads to. @returns the address the client is called back at
 */
export async function openOidcUser(
  { port, clientId, clientSecret }: OidcTarget,
  browser: OidcBrowser,
  goThrough: (url: URL, until: string) => Promise<string>,
): Promise<OidcUser> {
  const origin = `http://127.0.0.1:${port}`;
  const authorize = (more: Readonly<Record<string, string>>) => {
    const query = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 'a state',
      ...more,
    });
    return new URL(`${origin}/oidc/authorize?${query.toString()}`);
  };
  const authorization = `Basic ${Buffer.from(
    `${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`,
  ).toString('base64')}`;
  let connection = await openHttp({ port });

  const get = (target: string, headers: Readonly<Record<string, string>> = {}) =>
    connection.send(requestBytes('GET', target, headers));

  const post = (target: string, fields: Readonly<Record<string, string>>) => {
    const body = new URLSearchParams(fields).toString();
    const headers = { authorization, 'Content-Type': 'application/x-www-form-urlencoded' };
    return connection.send(requestBytes('POST', target, headers, body));
  };

  async function exchange(callback: string): Promise<Tokens> {
    const code = new URL(callback).searchParams.get('code');
    if (code === null) throw new Error(`There is no code: ${callback}`);
    const fields = { grant_type: 'authorization_code', code, redirect_uri: redirectUri };
    return jsonOf(await post('/oidc/token', { ...fields, code_verifier: verifier }));
  }

  const first = authorize({ scope: 'openid profile offline_access', prompt: 'consent' });
  const { access_token: token, refresh_token: given = '' } = await exchange(
    await goThrough(first, redirectUri),
  );
  let refreshToken = given;
  const again = authorize({ scope: 'openid profile' });
  const target = `${again.pathname}${again.search}`;
  const cookie = browser.cookiesAt(again);

  connection.close();
  return {
    connect: async () => {
      connection = await openHttp({ port });
    },
    codeFlow: async () => exchange(locationOf(await get(target, { cookie }))),
    refresh: async () => {
      const fields = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const tokens = jsonOf<Tokens>(await post('/oidc/token', fields));
      refreshToken = tokens.refresh_token ?? '';
    },
    userInfo: async () => jsonOf(await get('/oidc/userinfo', { authorization: `Bearer ${token}` })),
    introspection: async () => {
      const fields = { token, token_type_hint: 'access_token' };
      const { active } = jsonOf<{ active: boolean }>(await post('/oidc/introspect', fields));
      if (!active) throw new Error('The token is not active.');
    },
    discovery: async () => jsonOf(await get('/.well-known/openid-configuration')),
    keys: async () => jsonOf(await get('/oidc/jwks')),
    close: () => connection.close(),
  };
}

function locationOf({ head, status }: WireAnswer): string {
  const location = /\r\nlocation: *([^\r\n]+)/i.exec(head)?.[1];
  if (location === undefined) throw new Error(`HTTP ${status}: no redirection.`);
  return location;
}
