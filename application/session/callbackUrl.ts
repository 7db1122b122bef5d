const CALLBACK_PATH = '/auth/eid/callback';

/** The WHATWG parser mends `https:host`, backslashes, tabs and line ends; others read such an address differently. */
const PLAIN_HTTP = /^https?:\/\/[^\\\p{Cc}]*$/iu;

/** What is asked of a return address. */
export interface CallbackRules {
  /** Names, or names with port; lower case. */
  readonly allowedHosts: readonly string[];
  /** Whether http will do on the machine itself, where nobody listens in (RFC 8252 §7.3). For development. */
  readonly loopbackOverHttp: boolean;
}

/**
 * The return address that is kept of the one a relying party sent: host and query, the path forced. Null when it is
 * not https or its host is not on the allowlist; the caller is not told (specification, `initialCallbackUrl` rules).
 */
export function keptCallbackUrl(
  sent: string | null,
  { allowedHosts, loopbackOverHttp }: CallbackRules,
): string | null {
  if (sent === null || !PLAIN_HTTP.test(sent) || !URL.canParse(sent)) return null;
  const url = new URL(sent);
  if (url.protocol !== 'https:' && !(loopbackOverHttp && isLoopback(url))) return null;
  if (url.username !== '' || url.password !== '') return null;
  if (!allowedHosts.includes(url.hostname) && !allowedHosts.includes(url.host)) return null;
  return `${url.protocol}//${url.host}${CALLBACK_PATH}${url.search}`;
}

function isLoopback({ hostname }: URL): boolean {
  return ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
}
