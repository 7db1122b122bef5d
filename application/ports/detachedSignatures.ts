import type { SignedSession } from './pdfStamping.ts';

/** What a detached signature is made of; see {@link SignedSession}. */
export type DetachedSignature = Pick<
  SignedSession,
  'digest' | 'signature' | 'signatureAlgorithm' | 'pss' | 'timestampToken'
> & {
  /** Only certificates of citizens. */
  readonly signer: Pick<SignedSession['signer'], 'certificate' | 'certificateSerial'>;
};

/** Writes citizens' signatures so that anybody's tools can check them against the file. */
export interface DetachedSignatures {
  /**
   * A detached CMS SignedData (RFC 5652) over the file whose SHA-256 is `digest`, with the chain, the timestamp of the
   * signature and what proves that nothing was revoked then; DER.
   *
   * @throws Unavailable when revocation data cannot be had
   */
  encode(signature: DetachedSignature): Promise<Buffer>;
}
