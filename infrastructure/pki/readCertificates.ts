import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readCertificate } from './kernel/certificate.ts';
import { issuerFault } from './kernel/certificationPath.ts';
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

/** Trust anchors of a file. */
export interface TrustAnchors {
  /** DER; those that are usable. */
  readonly anchors: readonly Buffer[];
  /** Reason for each that is left out, with its subject. */
  readonly faults: readonly string[];
}

/**
 * Reads a PEM file of trust anchors. Those that no certification path can end in are left out, and named.
 *
 * @param services true: certificates of services themselves may be among them, which are trusted as they are
 * @throws Error when the file cannot be read, or holds no usable anchor
 */
export function readTrustAnchors(path: string, services = false): TrustAnchors {
  const read = readCertificates(path).map((der) => ({ der, fault: anchorFault(der, services) }));
  const anchors = read.flatMap(({ der, fault }) => (fault === null ? [der] : []));
  const faults = read.flatMap(({ der, fault }) =>
    fault === null
      ? []
      : [
          `${new X509Certificate(der).subject.replaceAll('\n', ', ')} is not a usable trust anchor: ${fault}`,
        ],
  );
  if (anchors.length === 0) throw new Error(`${path}: ${faults.join(' ')}`);
  return { anchors, faults };
}

function anchorFault(der: Buffer, services: boolean): string | null {
  try {
    const certificate = readCertificate(der);
    return services && !certificate.isCa ? null : issuerFault(certificate);
  } catch (error) {
    return `It cannot be read (${(error as Error).message}).`;
  }
}

/** Reads the certificates of a PEM text, DER. @throws Error when one is malformed */
export function pemCertificates(text: string): readonly Buffer[] {
  return pemBlocks(text, 'CERTIFICATE').map((each) => new X509Certificate(each).raw);
}
