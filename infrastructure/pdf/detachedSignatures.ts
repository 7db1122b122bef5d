import type { CertificateAuthority } from '../../application/ports/certificateAuthority.ts';
import type { DetachedSignatures } from '../../application/ports/detachedSignatures.ts';
import type { RevocationEvidence } from '../../application/ports/revocationEvidence.ts';
import { citizenAlgorithm, encodeCades } from './cades.ts';

export interface DetachedSignatureOptions {
  readonly authority: Pick<CertificateAuthority, 'issuer'>;
  readonly evidence: RevocationEvidence;
}

/**
 * Signatures of citizens as CMS. They signed the digest of the file itself, so there are no signed attributes: anybody's
 * tool that reads CMS compares the digest of the file with what was signed.
 */
export function createDetachedSignatures(options: DetachedSignatureOptions): DetachedSignatures {
  const { authority, evidence } = options;
  return {
    async encode({ signer, signature, signatureAlgorithm, pss, timestampToken }) {
      const [rootList, ocspResponse] = await Promise.all([
        evidence.crl('root'),
        evidence.ocspResponse('personal', signer.certificateSerial),
      ]);
      return encodeCades({
        ...{ certificate: signer.certificate, attributes: null, signature, timestampToken },
        chain: [authority.issuer('personal').certificate, authority.issuer('root').certificate],
        hash: 'SHA256',
        algorithm: citizenAlgorithm(signatureAlgorithm, 'SHA256', pss),
        revocation: { crls: [rootList], ocspResponses: [ocspResponse] },
      });
    },
  };
}
