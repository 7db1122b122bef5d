import type { SignedSession } from '../../application/ports/pdfStamping.ts';

/** Contents of the evidence file beside the session. */
export interface EvidenceContext {
  readonly fileName: string | null;
  /** Of the signed document. */
  readonly size: number;
  /** DER, from the issuing CA up to the root. */
  readonly chain: readonly Buffer[];
  readonly verifyUrl: string;
}

/**
 * The machine-readable evidence attached to a stamped PDF: enough to verify the citizen's signature from the file
 * alone. Binary values are base64, certificates and the timestamp DER.
 */
export function evidenceFile(
  session: SignedSession,
  { fileName, size, chain, verifyUrl }: EvidenceContext,
): { readonly name: string; readonly json: string } {
  const { signer, digest, signature } = session;
  const document = {
    format: 'tamga-evidence-1',
    document: {
      fileName,
      // The signed document is the first `size` bytes of the file with this attachment.
      size,
      digestAlgorithm: session.hash,
      digest: digest.toString('base64'),
    },
    signature: {
      value: signature.toString('base64'),
      signatureAlgorithm: session.signatureAlgorithm,
      ...(session.pss === null ? {} : { signatureAlgorithmParameters: session.pss }),
      certificate: signer.certificate.toString('base64'),
      certificateLevel: signer.certificateLevel,
      chain: chain.map((certificate) => certificate.toString('base64')),
      // RFC 3161, over the SHA-256 of `value`.
      timestampToken: session.timestampToken.toString('base64'),
    },
    onBehalfOf: signer.organization,
    session: {
      sessionId: session.sessionId,
      relyingPartyName: session.relyingPartyName,
      completedAt: session.completedAt,
      verify: verifyUrl,
    },
  };
  return {
    name: `tamga-evidence-${session.sessionId}.json`,
    json: `${JSON.stringify(document, null, 2)}\n`,
  };
}
