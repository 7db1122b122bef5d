import { certificationPath } from './certificatePath.ts';
import { readCertificate } from './kernel/certificate.ts';
import { pemCertificates } from './readCertificates.ts';

/**
 * The key for heads of the audit tree that the certificate certifies: one the Root CA issued itself to no authority. The
 * time is not looked at, as heads are verified long after they were signed.
 *
 * @param certificate DER, not trusted
 * @param root DER, trusted
 * @returns SubjectPublicKeyInfo, DER; null: no certificate of such a key
 */
export function treeKeyIn(certificate: Uint8Array, root: Uint8Array): Buffer | null {
  try {
    const leaf = readCertificate(Buffer.from(certificate));
    if (
      leaf.isCa ||
      certificationPath(leaf, [], [readCertificate(Buffer.from(root))], null) === null
    )
      return null;
    return leaf.x509.publicKey.export({ type: 'spki', format: 'der' });
  } catch {
    return null;
  }
}

/** Keys of the certificates in a PEM text that {@link treeKeyIn} finds. @param root DER */
export function treeKeysIn(pem: string, root: Uint8Array): readonly Buffer[] {
  return pemCertificates(pem).flatMap((each) => treeKeyIn(each, root) ?? []);
}
