import type { SignedSession } from '../../ports/pdfStamping.ts';

/** Content of a detached signature; see {@link SignedSession}. */
export type DetachedSignature = Pick<
  SignedSession,
  'digest' | 'signature' | 'signatureAlgorithm' | 'pss' | 'timestampToken'
> & {
  /** Citizens' certificates only. */
  readonly signer: Pick<SignedSession['signer'], 'certificate' | 'certificateSerial'>;
};

/** Writes citizens' signatures in a format that standard tools verify against the file. */
export interface DetachedSignatures {
  /**
   * A detached CMS SignedData (RFC 5652) over the file whose SHA-256 is `digest`, with the chain, the timestamp of the
   * signature and revocation data of that time; DER.
   *
   * @throws Unavailable when revocation data is unavailable
   */
  encode(signature: DetachedSignature): Promise<Buffer>;
}
