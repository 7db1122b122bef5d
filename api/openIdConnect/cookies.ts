/**
 * Value of the cookie with this name; null: not sent.
 *
 * @param header the `Cookie` header as received (RFC 6265 §5.4)
 */
export function cookieOf(header: string | undefined, name: string): string | null {
  for (const pair of (header ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (equals > 0 && pair.slice(0, equals).trim() === name) return pair.slice(equals + 1).trim();
  }
  return null;
}
