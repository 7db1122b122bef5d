import {
  hostInUrl,
  isLoopback,
  readHostAndPort,
  writeHostAndPort,
} from '../../domain/shared/hosts.ts';

const CALLBACK_PATH = '/auth/eid/callback';

/**
 * The WHATWG parser repairs `https:host`, backslashes, tabs and line ends; other parsers read such addresses
 * differently.
 */
const PLAIN_HTTP = /^https?:\/\/[^\\\p{Cc}]*$/iu;

/** Rules for return addresses. */
export interface CallbackRules {
  /** Host names, optionally with port; lower case. */
  readonly allowedHosts: readonly string[];
  /** True to allow http for loopback addresses, where nobody can eavesdrop (RFC 8252 §7.3). For development. */
  readonly loopbackOverHttp: boolean;
}

/**
 * Normalizes the return address sent by a relying party: host and query, the path forced. Null unless it is https and
 * its host is on the allowlist; the caller is not told (specification, `initialCallbackUrl` rules).
 */
export function acceptedCallbackUrl(
  sent: string | null,
  { allowedHosts, loopbackOverHttp }: CallbackRules,
): string | null {
  if (sent === null || !PLAIN_HTTP.test(sent) || !URL.canParse(sent)) return null;
  const url = new URL(sent);
  if (url.protocol !== 'https:' && !(loopbackOverHttp && isLoopback(url.hostname))) return null;
  if (url.username !== '' || url.password !== '') return null;
  // To browsers a name with a trailing dot is another site.
  const read = url.hostname.endsWith('.') ? null : readHostAndPort(url.host);
  if (read === null) return null;
  const { host, port } = read;
  const names = [hostInUrl(host), writeHostAndPort(host, port)];
  if (!names.some((name) => allowedHosts.includes(name))) return null;
  return `${url.protocol}//${url.host}${CALLBACK_PATH}${url.search}`;
}
