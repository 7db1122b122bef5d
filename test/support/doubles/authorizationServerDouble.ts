import { createHash, randomBytes } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Parameters given to the double about one code. */
interface Grant {
  readonly challenge: string;
  readonly nonce: string | null;
  readonly redirectUri: string;
  readonly person: object;
}

export const danClient = { clientId: 'tamga', clientSecret: 'a secret between the two' };

/**
 * An authority people sign in at, with the three endpoints of an OAuth 2.0 server: it demands PKCE and our secret, and
 * gives each code once. `signIn` is what a person does in the browser.
 */
export async function startAuthorizationServer() {
  const grants = new Map<string, Grant>();
  const people = new Map<string, object>();
  const state = { isAway: false, tamper: (claims: object) => claims, idToken: true, hang: false };

  function send(response: ServerResponse, status: number, body: object): void {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  }

  function exchange(form: URLSearchParams, response: ServerResponse): void {
    const grant = grants.get(form.get('code') ?? '');
    grants.delete(form.get('code') ?? '');
    const isClient =
      form.get('client_id') === danClient.clientId &&
      form.get('client_secret') === danClient.clientSecret;
    if (!isClient) {
      send(response, 401, { error: 'invalid_client' });
      return;
    }
    const verifier = form.get('code_verifier') ?? '';
    const challenge = createHash('sha256').update(verifier).digest('base64url');
    const isRight =
      grant !== undefined &&
      grant.challenge === challenge &&
      grant.redirectUri === form.get('redirect_uri');
    if (!isRight) {
      send(response, 400, { error: 'invalid_grant' });
      return;
    }
    const token = randomBytes(16).toString('hex');
    people.set(token, grant.person);
    const claims = state.tamper({
      iss: origin,
      aud: danClient.clientId,
      exp: Date.now() / 1000 + 60,
      nonce: grant.nonce,
      sub: 's-1',
    });
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url');
    const idToken = state.idToken ? { id_token: `e30.${payload}.c2ln` } : {};
    send(response, 200, { access_token: token, token_type: 'Bearer', ...idToken });
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (state.hang) return;
      if (state.isAway) {
        send(response, 502, { error: 'away' });
        return;
      }
      if (request.url === '/token') {
        exchange(new URLSearchParams(Buffer.concat(chunks).toString('utf8')), response);
        return;
      }
      const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1] ?? '';
      const person = people.get(token);
      if (person === undefined) send(response, 401, { error: 'invalid_token' });
      else send(response, 200, { sub: 's-1', ...person });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;

  return {
    origin,
    urls: {
      authorizeUrl: `${origin}/authorize`,
      tokenUrl: `${origin}/token`,
      userinfoUrl: `${origin}/userinfo`,
    },
    state,
    /** Signs somebody in at the address the person was sent to. @returns what the browser brings back */
    signIn(authorizationUrl: string, person: object) {
      const { searchParams: sent } = new URL(authorizationUrl);
      const code = randomBytes(12).toString('hex');
      grants.set(code, {
        challenge: sent.get('code_challenge') ?? '',
        nonce: sent.get('nonce'),
        redirectUri: sent.get('redirect_uri') ?? '',
        person,
      });
      const redirectUri = sent.get('redirect_uri') ?? '';
      return { redirectUri, state: sent.get('state') ?? '', code };
    },
    stop: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export type AuthorizationServerDouble = Awaited<ReturnType<typeof startAuthorizationServer>>;
