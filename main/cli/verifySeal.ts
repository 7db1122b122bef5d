import { verify, X509Certificate } from 'node:crypto';
import type { SealResult } from '../../client/index.ts';

/**
 * Verifies a seal as any third party can: its certificate chains to a trust anchor, and its key
 * signed the text's SHA-256.
 *
 * @param trust PEM bundles
 * @returns the certificate's subject, one attribute per line
 * @throws Error with the failed check
 */
export function verifySeal(
  text: string,
  seal: SealResult,
  trust: { readonly anchors: string; readonly intermediates: string },
): string {
  const certificate = new X509Certificate(Buffer.from(seal.certificateDerB64, 'base64'));
  const issuer = issuerOf(certificate, certificatesIn(trust.intermediates));
  issuerOf(issuer, certificatesIn(trust.anchors));
  const signature = Buffer.from(seal.signatureValueB64, 'base64');
  if (!verify('sha256', Buffer.from(text), certificate.publicKey, signature)) {
    throw new Error('The seal does not match this text.');
  }
  return certificate.subject;
}

function issuerOf(
  certificate: X509Certificate,
  candidates: readonly X509Certificate[],
): X509Certificate {
  const issuer = candidates.find(
    (candidate) => certificate.checkIssued(candidate) && certificate.verify(candidate.publicKey),
  );
  if (issuer === undefined)
    throw new Error('The certificate has no certification path to a trust anchor.');
  return issuer;
}

function certificatesIn(pem: string): readonly X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}
