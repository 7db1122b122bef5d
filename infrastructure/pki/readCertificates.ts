import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';

const PEM = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/**
 * The certificates in a PEM file, DER.
 *
 * @throws Error when the file cannot be read, or holds no certificate or one that is malformed
 */
export function readCertificates(path: string): readonly Buffer[] {
  const texts = readFileSync(path, 'utf8').match(PEM);
  if (texts === null) throw new Error(`There is no certificate in ${path}.`);
  return texts.map((text) => new X509Certificate(text).raw);
}
