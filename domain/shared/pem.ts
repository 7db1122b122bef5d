/** DER as text (RFC 7468), ending with a line end. */
export function pem(
  label: 'CERTIFICATE' | 'CERTIFICATE REQUEST' | 'PUBLIC KEY',
  der: Buffer,
): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
