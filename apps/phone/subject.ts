import { fromBase64 } from './bytes.ts';

/**
 * Attribute types of a person's name, DER (RFC 5280 A.1: 2.5.4.42 and 2.5.4.4); issuers of persons
 * have none of them.
 */
const givenName = [0x06, 0x03, 0x55, 0x04, 0x2a];
const surname = [0x06, 0x03, 0x55, 0x04, 0x04];

/**
 * Name of the citizen in the certificate, without absent parts. For display only.
 *
 * @param certificate base64 DER
 */
export function nameInCertificate(certificate: string): string {
  const der = fromBase64(certificate);
  return [givenName, surname]
    .map((type) => attributeOf(der, type))
    .filter((part) => part !== '')
    .join(' ');
}

/**
 * Text after an attribute type; names are shorter than 128 bytes, so that their length is one byte.
 */
function attributeOf(der: Uint8Array, type: readonly number[]): string {
  const at = der.findIndex((_, start) => type.every((byte, index) => der[start + index] === byte));
  if (at < 0) return '';
  const text = at + type.length + 2;
  return new TextDecoder().decode(der.subarray(text, text + (der[text - 1] ?? 0)));
}
