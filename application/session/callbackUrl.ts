const CALLBACK_PATH = '/auth/eid/callback';

/** The WHATWG parser mends `https:host`, backslashes, tabs and line ends; others read such an address differently. */
const PLAIN_HTTPS = /^https:\/\/[^\\\p{Cc}]*$/iu;

/**
 * The return address that is kept of the one a relying party sent: host and query, the path forced. Null when it is
 * not https or its host is not on the allowlist; the caller is not told (specification, `initialCallbackUrl` rules).
 *
 * @param allowedHosts lower case
 */
export function keptCallbackUrl(
  sent: string | null,
  allowedHosts: readonly string[],
): string | null {
  if (sent === null || !PLAIN_HTTPS.test(sent) || !URL.canParse(sent)) return null;
  const url = new URL(sent);
  if (url.protocol !== 'https:' || url.username !== '' || url.password !== '') return null;
  if (!allowedHosts.includes(url.hostname) && !allowedHosts.includes(url.host)) return null;
  return `https://${url.host}${CALLBACK_PATH}${url.search}`;
}
