/** Bytes of the blocks of that label in a PEM text (RFC 7468), in order; whatever stands between them is left out. */
export function pemBlocks(
  text: string,
  label: 'CERTIFICATE' | 'PUBLIC KEY' | 'X509 CRL',
): readonly Buffer[] {
  const block = new RegExp(`-----BEGIN ${label}-----([^-]+)-----END ${label}-----`, 'g');
  return Array.from(text.matchAll(block), ([, base64 = '']) => Buffer.from(base64, 'base64'));
}
