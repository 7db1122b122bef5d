import type { IncomingMessage } from 'node:http';

/** Cookies that carry tokens, and for how long, seconds (specification, Authentication, Operator API). */
const lifeSeconds = { admin_mfa: 300, admin_session: 3600 } as const;

export type TokenCookie = keyof typeof lifeSeconds;

const TOKEN = /^[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+$/;

/** The token a request carries; null without one, with one that is none, and with two that differ. */
export function tokenIn({ headers }: IncomingMessage, name: TokenCookie): string | null {
  const values = (headers.cookie ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
  const [token = ''] = values;
  return TOKEN.test(token) && values.every((each) => each === token) ? token : null;
}

/** Set-Cookie with a token. @param isSecure over TLS alone */
export function keepToken(name: TokenCookie, token: string, isSecure: boolean): string {
  return cookie(name, token, lifeSeconds[name], isSecure);
}

/** Set-Cookie that takes the token away. */
export function dropToken(name: TokenCookie, isSecure: boolean): string {
  return cookie(name, '', 0, isSecure);
}

function cookie(name: TokenCookie, value: string, maxAge: number, isSecure: boolean): string {
  const secure = isSecure ? '; Secure' : '';
  return `${name}=${value}; Max-Age=${maxAge}; Path=/; HttpOnly; SameSite=Strict${secure}`;
}
