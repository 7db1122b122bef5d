/** The address of a log or database without credentials and parameters. */
export function redactedAddress(url: string): string {
  return url.replace(/\/\/[^/]*@/, '//').replace(/\?.*$/, '');
}
