/** DER as text (RFC 7468), with its line end. */
export function pem(label: 'CERTIFICATE' | 'PUBLIC KEY', der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}
