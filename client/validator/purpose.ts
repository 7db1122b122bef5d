import type { CertificateDetails } from '../../infrastructure/pki/kernel/certificate.ts';

/**
 * Purposes of citizens' certificates by key usage bit: PIN1 never signs, PIN2 never authenticates.
 */
export type CertificatePurpose = 'digitalSignature' | 'nonRepudiation';

const anyPurpose = '2.5.29.37.0';

/** Acceptable extended key usages, for certificates that restrict theirs (RFC 5280 §4.2.1.12). */
const purposes: Readonly<Record<CertificatePurpose, readonly string[]>> = {
  digitalSignature: [
    anyPurpose,
    '1.3.6.1.5.5.7.3.2', // id-kp-clientAuth
    '1.3.6.1.4.1.62306.5.7.0', // authentication by Smart-ID
  ],
  nonRepudiation: [
    anyPurpose,
    '1.3.6.1.5.5.7.3.36', // id-kp-documentSigning, RFC 9336
    '1.3.6.1.5.5.7.3.4', // id-kp-emailProtection
    '1.3.6.1.4.1.311.10.3.12', // document signing, before RFC 9336
  ],
};

/** Checks key usage and extended key usage of a citizen's certificate. */
export function isForPurpose(
  { isCa, keyUsage, extendedKeyUsage }: CertificateDetails,
  purpose: CertificatePurpose,
): boolean {
  return (
    !isCa &&
    keyUsage?.[purpose] === true &&
    (extendedKeyUsage === null ||
      extendedKeyUsage.some((named) => purposes[purpose].includes(named)))
  );
}
