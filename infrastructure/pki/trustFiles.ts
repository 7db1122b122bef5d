import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CertificateAuthority } from '../../application/ports/certificateAuthority.ts';
import { pem } from '../../domain/shared/pem.ts';

/** A certificate as PEM text (RFC 7468). */
export function certificatePem(der: Buffer): string {
  return pem('CERTIFICATE', der);
}

/**
 * Writes the trust anchor and the issuing CAs as PEM into `directory`, which is created when missing.
 *
 * @returns paths of the two files
 */
export async function writeTrustFiles(
  directory: string,
  { root, issuing }: CertificateAuthority['certificates'],
): Promise<{ readonly anchorsPem: string; readonly intermediatesPem: string }> {
  await mkdir(directory, { recursive: true });
  const anchorsPem = join(directory, 'anchors.pem');
  const intermediatesPem = join(directory, 'intermediates.pem');
  await writeFile(anchorsPem, certificatePem(root));
  await writeFile(intermediatesPem, issuing.map(certificatePem).join(''));
  return { anchorsPem, intermediatesPem };
}
