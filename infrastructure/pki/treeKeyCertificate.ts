import { certificationPath } from './certificatePath.ts';
import { readCertificate } from './kernel/certificate.ts';
import { pemBlocks } from './kernel/pem.ts';

/**
 * Reads the key for heads of the audit tree from its certificate, which the Root CA issued directly and which is no CA's.
 * Its validity is not checked, as heads are verified long after they were signed.
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

/** Reads the keys of all such certificates in a PEM text, as {@link treeKeyIn} does. @param root DER */
export function treeKeysIn(pem: string, root: Uint8Array): readonly Buffer[] {
  return pemBlocks(pem, 'CERTIFICATE').flatMap((each) => treeKeyIn(each, root) ?? []);
}
