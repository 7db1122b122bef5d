import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { pemBlocks } from './kernel/pem.ts';

/**
 * Reads the certificates of a PEM file, DER.
 *
 * @throws Error when the file cannot be read, or holds no certificate or a malformed one
 */
export function readCertificates(path: string): readonly Buffer[] {
  const certificates = pemCertificates(readFileSync(path, 'utf8'));
  if (certificates.length === 0) throw new Error(`There is no certificate in ${path}.`);
  return certificates;
}

/** Reads the certificates of a PEM text, DER. @throws Error when one is malformed */
export function pemCertificates(text: string): readonly Buffer[] {
  return pemBlocks(text, 'CERTIFICATE').map((each) => new X509Certificate(each).raw);
}
