import type { CertificateAuthority } from '../../application/ports/certificateAuthority.ts';
import type { DetachedSignatures } from '../../application/document/ports/detachedSignatures.ts';
import type { RevocationEvidence } from '../pki/revocationEvidence.ts';
import { citizenAlgorithm, encodeCades } from '../pki/signedData.ts';

export interface DetachedSignatureOptions {
  readonly authority: Pick<CertificateAuthority, 'issuer' | 'issuerOf'>;
  readonly evidence: RevocationEvidence;
}

/**
 * Signatures of citizens as CMS. They sign the digest of the file itself, without signed attributes: any CMS verifier
 * can compare it with the file.
 */
export function createDetachedSignatures(options: DetachedSignatureOptions): DetachedSignatures {
  const { authority, evidence } = options;
  return {
    async encode({ signer, signature, signatureAlgorithm, pss, timestampToken }) {
      const issuer = authority.issuerOf(signer.certificate);
      const [rootList, ocspResponse] = await Promise.all([
        evidence.crl('root'),
        evidence.ocspResponse(issuer.authority, signer.certificateSerial),
      ]);
      return encodeCades({
        certificate: signer.certificate,
        attributes: null,
        signature,
        timestampToken,
        chain: [issuer.certificate, authority.issuer('root').certificate],
        hash: 'SHA256',
        algorithm: citizenAlgorithm(signatureAlgorithm, 'SHA256', pss),
        revocation: { crls: [rootList], ocspResponses: [ocspResponse] },
      });
    },
  };
}
