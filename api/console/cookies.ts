import type { IncomingMessage } from 'node:http';

/**
 * Cookies that hold tokens, with their lifetimes in seconds (specification, Authentication,
 * Operator API).
 */
const lifeSeconds = { admin_mfa: 300, admin_session: 3600 } as const;

export type TokenCookie = keyof typeof lifeSeconds;

const TOKEN = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** Name in the browser: over TLS one that no sibling host can set (RFC 6265bis, `__Host-`). */
function nameOf(name: TokenCookie, isSecure: boolean): string {
  return isSecure ? `__Host-${name}` : name;
}

/**
 * Token of a request; null when absent, malformed, or sent twice with different values.
 *
 * @param isSecure as it was stored
 */
export function tokenIn(
  { headers }: IncomingMessage,
  name: TokenCookie,
  isSecure: boolean,
): string | null {
  const prefix = `${nameOf(name, isSecure)}=`;
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(prefix))
    .map((pair) => pair.slice(prefix.length));
  const [token = ''] = values;
  return TOKEN.test(token) && values.every((each) => each === token) ? token : null;
}

/** Set-Cookie header that stores a token. @param isSecure over TLS only */
export function storeTokenCookie(name: TokenCookie, token: string, isSecure: boolean): string {
  return cookie(name, token, lifeSeconds[name], isSecure);
}

/** Set-Cookie header that deletes the token. */
export function deleteTokenCookie(name: TokenCookie, isSecure: boolean): string {
  return cookie(name, '', 0, isSecure);
}

function cookie(name: TokenCookie, value: string, maxAge: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  return `${nameOf(name, isSecure)}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}
