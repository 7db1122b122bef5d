import { z } from 'zod';
import { Unavailable } from '../../application/ports/faults.ts';
import { readUpTo } from '../boundedBody.ts';

/** Address of an OAuth 2.0 authorization server (RFC 6749) and our client there. */
export interface AuthorizationServerSettings {
  readonly authorizeUrl: string;
  readonly tokenUrl: string;
  /** UserInfo endpoint: claims about the person for an access token. */
  readonly userinfoUrl: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Scope to request; with `openid` the ID token is checked too. */
  readonly scope: string;
  /** Redirect URI registered with the server. */
  readonly redirectUri: string;
  readonly timeoutMs: number;
}

/** Called after every request. @param status the HTTP status, or `error` without a complete response */
export type CallObserver = (operation: string, status: string, seconds: number) => void;

/** State, nonce and PKCE verifier that tie the response to this request. */
export interface AuthorizationSecrets {
  readonly state: string;
  /** PKCE (RFC 7636). */
  readonly codeVerifier: string;
  readonly nonce: string;
}

export interface Tokens {
  readonly accessToken: string;
  /** Null: none was sent. */
  readonly idToken: string | null;
}

export interface AuthorizationServer {
  /** Address of the authorization endpoint. @param codeChallenge S256 of the code verifier */
  authorizationUrl(secrets: {
    readonly state: string;
    readonly codeChallenge: string;
    readonly nonce: string;
  }): string;
  /** @returns null when the server rejects the code (`invalid_grant`) @throws Unavailable(dan) */
  exchange(code: string, codeVerifier: string): Promise<Tokens | null>;
  /** JSON of whatever shape. @throws Unavailable(dan) */
  userinfo(accessToken: string): Promise<unknown>;
}

/** Largest response: claims are some KiB; portraits may be among them. */
const MAX_ANSWER_BYTES = 1_048_576;

const tokenAnswer = z.object({
  // RFC 6749 appendix A.12; anything else would fail as a header, with an error that quotes it.
  access_token: z.string().regex(/^[ -~]{1,16384}$/),
  token_type: z.string().regex(/^bearer$/i),
  id_token: z.string().max(65_536).optional(),
});

const refusedAnswer = z.object({ error: z.string() });

export function createAuthorizationServer(
  settings: AuthorizationServerSettings,
  onCalled: CallObserver = () => undefined,
): AuthorizationServer {
  const { authorizeUrl, tokenUrl, userinfoUrl, clientId, clientSecret } = settings;
  const { scope, redirectUri, timeoutMs } = settings;

  async function call(operation: string, url: string, request: RequestInit) {
    const started = performance.now();
    let status = 'error';
    try {
      const response = await fetch(url, {
        ...request,
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      });
      const bytes = await readUpTo(response, MAX_ANSWER_BYTES);
      status = String(response.status);
      return { status: response.status, json: jsonOf(bytes) };
    } catch (error) {
      throw new Unavailable('dan', error);
    } finally {
      onCalled(operation, status, (performance.now() - started) / 1000);
    }
  }

  return {
    authorizationUrl({ state, codeChallenge, nonce }) {
      const url = new URL(authorizeUrl);
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope,
        state,
        code_challenge: codeChallenge,
        code_challenge_method: 'S256',
        ...(isOpenId(scope) && { nonce }),
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    async exchange(code, codeVerifier) {
      const body = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        client_id: clientId,
        client_secret: clientSecret,
        code_verifier: codeVerifier,
      });
      const { status, json } = await call('token', tokenUrl, { method: 'POST', body });
      if (status === 400 && refusedAnswer.safeParse(json).data?.error === 'invalid_grant') {
        return null;
      }
      const tokens = tokenAnswer.safeParse(json);
      if (status !== 200 || !tokens.success) throw unexpected('token', status);
      return { accessToken: tokens.data.access_token, idToken: tokens.data.id_token ?? null };
    },
    async userinfo(accessToken) {
      const headers = { authorization: `Bearer ${accessToken}`, accept: 'application/json' };
      const { status, json } = await call('userinfo', userinfoUrl, { headers });
      if (status !== 200 || json === undefined) throw unexpected('userinfo', status);
      return json;
    },
  };
}

/** True when the scope requests OpenID Connect. */
export function isOpenId(scope: string): boolean {
  return scope.split(' ').includes('openid');
}

/** The response is left out of the error: it may hold personal data. */
function unexpected(operation: string, status: number): Unavailable {
  return new Unavailable('dan', new Error(`The ${operation} endpoint answered ${status}.`));
}

/** Undefined unless JSON. */
function jsonOf(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
