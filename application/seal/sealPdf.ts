import { organizationEtsi } from '../../domain/shared/etsi.ts';
import { type HashType, sha256, sha256Hex } from '../../domain/shared/digest.ts';
import type { DocumentWarning } from '../../domain/shared/documentWarnings.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { DocumentSigner, PdfStamping } from '../ports/pdfStamping.ts';
import type { Timestamping } from '../ports/timestamping.ts';
import type { MadeDocuments } from '../stamp/madeDocuments.ts';
import { accepted } from '../stamp/stampDocument.ts';
import { type Seal, type Sealing, type SealVaults, vaultOf } from './seal.ts';

export interface SealPdfRequest {
  readonly register: string;
  readonly relyingPartyId: string;
  readonly relyingPartyName: string;
  /** Ownership is transferred: not to be used afterwards. */
  readonly document: Buffer;
  readonly fileName: string | null;
}

/**
 * Seals a PDF: a validation page and a PAdES-LT signature with the organization's seal certificate.
 *
 * @returns the sealed PDF, and the active content of it
 * @throws as {@link Seal}, and Refusal NOT_A_PDF, PDF_…
 */
export type SealPdf = (
  request: SealPdfRequest,
  context: CommandContext,
) => Promise<{ readonly pdf: Buffer; readonly warnings: readonly DocumentWarning[] }>;

/** Prepares, signs and completes like a citizen's signature, without waiting. */
export function createSealPdf(
  seal: Seal,
  {
    vaults,
    stamping,
    timestamping,
    madeDocuments,
  }: {
    readonly vaults: SealVaults;
    readonly stamping: Pick<PdfStamping, 'prepare' | 'complete'>;
    readonly timestamping: Timestamping;
    readonly madeDocuments: Pick<MadeDocuments, 'record'>;
  },
): SealPdf {
  async function sealed(
    { document, fileName, relyingPartyName }: SealPdfRequest,
    { identity, sealId, now }: Sealing,
  ) {
    const signer = signerOf(identity);
    const hash: HashType = 'SHA256';
    const { prepared, warnings } = accepted(
      await stamping.prepare({
        document,
        fileName,
        preparedId: sealId,
        relyingPartyName,
        signer,
        hash,
        now,
      }),
    );
    const { attributes } = prepared;
    const vault = vaultOf(vaults, identity.level);
    const signature = await vault.sign(identity.keyLabel, attributes, hash);
    const digest = sha256(attributes);
    const pdf = await stamping.complete(prepared, {
      sessionId: sealId,
      relyingPartyName,
      signer,
      digest,
      hash,
      signature,
      pss: null,
      signatureAlgorithm: 'ecdsa-with-SHA256',
      completedAt: now.toISOString(),
      timestampToken: await timestamping.timestamp(sha256(signature), hash),
    });
    return {
      pdf,
      warnings,
      digest: digest.toString('base64'),
      sealedDocument: sha256Hex(pdf),
      hashType: hash,
      signature: signature.toString('base64'),
    };
  }

  return async (request, context) => {
    const { register, relyingPartyId } = request;
    // The bytes are gone once the document is sealed.
    const source = sha256Hex(request.document);
    const { made } = await seal(
      { register, relyingPartyId, content: 'PDF' },
      (sealing) => sealed(request, sealing),
      context,
    );
    const digest = made.sealedDocument;
    await madeDocuments.record({ digest, making: 'SEAL', sources: [source] }, context);
    return { pdf: made.pdf, warnings: made.warnings };
  };
}

/** The organization on the validation page: its name, and its identifier below. */
function signerOf({
  register,
  organizationName,
  ...identity
}: Sealing['identity']): DocumentSigner {
  return {
    isSeal: true,
    organization: null,
    surname: '',
    givenName: organizationName,
    surnameLatin: '',
    givenNameLatin: organizationEtsi(register),
    certificate: Buffer.from(identity.certificate, 'base64'),
    certificateSerial: identity.serial,
    certificateLevel: identity.level,
  };
}
