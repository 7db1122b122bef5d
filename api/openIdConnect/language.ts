import type { PageReader } from './ports/oidcPages.ts';
import { chooseLanguage, type Language } from '../verify/texts.ts';
import { cookieOf } from './cookies.ts';

const COOKIE = 'tamga_lang';
/** Over TLS: one that no sibling host can set. */
const SECURE_COOKIE = `__Host-${COOKIE}`;
const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Language of a page: from the query, the cookie, the client's `ui_locales`, or the browser. */
export function languageOf(
  { uiLocales, acceptLanguage, cookie }: PageReader,
  asked: string | null = null,
): Language {
  const wanted = [
    asked,
    cookieOf(cookie, SECURE_COOKIE) ?? cookieOf(cookie, COOKIE),
    ...(uiLocales ?? '').split(' '),
  ];
  const weighed = wanted.filter((tag) => tag !== null && tag !== '').join(',');
  // A list without weights keeps its order and takes precedence over the browser's list.
  return chooseLanguage(undefined, [weighed, acceptLanguage ?? ''].join(','));
}

/** Set-Cookie header that stores the language a reader asked for, for the other pages; no header for another word. */
export function keptLanguage(
  asked: string | null,
  isSecure: boolean,
): Readonly<Record<string, string>> {
  if (asked !== 'mn' && asked !== 'en') return {};
  const attributes = ['Path=/', `Max-Age=${YEAR_SECONDS}`, 'HttpOnly', 'SameSite=Lax'];
  if (isSecure) attributes.push('Secure');
  const cookie = [`${isSecure ? SECURE_COOKIE : COOKIE}=${asked}`, ...attributes].join('; ');
  return { 'set-cookie': cookie };
}
