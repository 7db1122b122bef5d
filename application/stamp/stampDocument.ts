import { createHash } from 'node:crypto';
import { accepted, type MadeDocuments } from './madeDocuments.ts';
import { displayedName } from '../../domain/relyingParty/names.ts';
import { signaturesIn, type SingleSignature } from '../../domain/session/batch.ts';
import { isOf } from '../../domain/session/session.ts';
import { type HashAlgorithm, sha256, sha256Hex } from '../../domain/shared/digest.ts';
import type { DocumentWarning } from '../../domain/shared/documentWarnings.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { StampForm } from '../../domain/stamp/events.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { CertificateReferenceData, CitizenReferenceData } from '../ports/referenceData.ts';
import type { PdfStamping, SignedSession } from '../ports/pdfStamping.ts';
import type { PreparedDocument, PreparedDocuments } from './ports/preparedDocuments.ts';
import type { Timestamping } from '../ports/timestamping.ts';
import type { Sessions } from '../session/sessions.ts';
import { signerOfSession } from './signerOfSession.ts';
import type { Stamps } from '../aggregates.ts';

export interface StampRequest {
  readonly sessionId: string;
  /** The calling relying party; other parties' sessions do not exist for it. */
  readonly relyingPartyId: string;
  /** The signed PDF; empty for a prepared document. Ownership is transferred: not to be used afterwards. */
  readonly document: Buffer;
  /** Used when the session itself has none. */
  readonly fileName: string | null;
  /** The prepared document to complete; null: that which awaits the session's only signature. */
  readonly preparedId: string | null;
}

export interface StampedDocument {
  readonly pdf: Buffer;
  readonly fileName: string | null;
  /** Active content of the document. */
  readonly warnings: readonly DocumentWarning[];
}

export interface StampDocumentDependencies {
  readonly sessions: Sessions;
  readonly stamps: Stamps;
  readonly madeDocuments: Pick<MadeDocuments, 'record'>;
  readonly referenceData: CitizenReferenceData & CertificateReferenceData;
  readonly stamping: PdfStamping;
  readonly preparedDocuments: PreparedDocuments;
  readonly timestamping: Timestamping;
  readonly clock: Clock;
}

/**
 * Creates the stamped PDF of a session; resolved means the timestamp of the citizen's signature is durable. Repeatable
 * while the session is readable.
 *
 * @throws Refusal SESSION_NOT_FOUND, SESSION_NOT_COMPLETE, DIGEST_MISMATCH, NOT_A_PDF, PDF_…, PERSON_NOT_FOUND,
 * PREPARED_DOCUMENT_NOT_FOUND, PREPARED_FOR_OTHER_SIGNER, INVALID_REQUEST
 * @throws Unavailable, Overloaded
 */
export type StampDocument = (
  request: StampRequest,
  context: CommandContext,
) => Promise<StampedDocument>;

/** A signature over a digest. */
interface SignedSignature extends SingleSignature {
  readonly digest: Buffer;
  readonly hash: HashAlgorithm;
}

export function createStampDocument(dependencies: StampDocumentDependencies): StampDocument {
  const { sessions, stamps, referenceData, stamping, preparedDocuments, timestamping, clock } =
    dependencies;

  /** Signatures of the session, in the order of its documents; at least one. */
  async function readSigned({
    sessionId,
    relyingPartyId,
  }: StampRequest): Promise<readonly SignedSignature[]> {
    const trusts = ({ status }: { readonly status: string }) => status === 'COMPLETE';
    const { state } = await sessions.load(sessionId, { trusts });
    const isReadable =
      state.status !== 'NONE' &&
      isOf(state, relyingPartyId) &&
      clock.now().toISOString() < state.started.readableUntil;
    if (!isReadable) throw new Refusal('SESSION_NOT_FOUND');
    const signatures = state.status === 'COMPLETE' ? signaturesIn(state) : [];
    const signed = signatures.flatMap((each) => {
      const { digest, hashType: hash } = each.started;
      if (digest === null || hash === null) return [];
      return [{ ...each, digest: Buffer.from(digest, 'base64'), hash }];
    });
    if (signed.length > 0) return signed;
    throw new Refusal('SESSION_NOT_COMPLETE', {
      detail: 'Only a signature session that is COMPLETE with OK can be stamped.',
    });
  }

  /** The signature over this document; the first when it is over none: stamping refuses it. */
  async function signatureOver(
    signed: readonly SignedSignature[],
    request: StampRequest,
  ): Promise<{ readonly signed: SignedSignature; readonly prepared: PreparedDocument | null }> {
    const { document } = request;
    const [first, ...others] = signed;
    if (first === undefined) throw new Error('Invariant violated: nothing was signed.');
    if (document.length === 0) return preparedFor([first, ...others], request);
    const digestBy = digestsOf(document, others);
    const isOver = ({ digest, hash }: SignedSignature) => digestBy.get(hash)?.equals(digest);
    return { signed: others.find(isOver) ?? first, prepared: null };
  }

  /** The prepared document that is asked for, and the signature that it awaits. */
  async function preparedFor(
    signed: readonly [SignedSignature, ...SignedSignature[]],
    { relyingPartyId, preparedId }: StampRequest,
  ): Promise<{ readonly signed: SignedSignature; readonly prepared: PreparedDocument }> {
    if (preparedId === null && signed.length > 1) {
      const detail = 'Several documents were signed. Name the prepared document.';
      const errors = [{ pointer: '#/query/preparedId', detail }];
      throw new Refusal('INVALID_REQUEST', { detail, errors });
    }
    const which = preparedId === null ? { digest: hexOf(signed[0]) } : { preparedId };
    const prepared = await preparedDocuments.find(relyingPartyId, which, clock.now());
    if (prepared === null && preparedId === null) throw new Refusal('NOT_A_PDF');
    const own = signed.find((each) => hexOf(each) === prepared?.digest);
    if (prepared === null || own === undefined) throw new Refusal('PREPARED_DOCUMENT_NOT_FOUND');
    const { confirmation, hash } = own;
    if (prepared.certificateSerial !== confirmation.certificateSerial || prepared.hash !== hash) {
      throw new Refusal('PREPARED_FOR_OTHER_SIGNER');
    }
    return { signed: own, prepared };
  }

  /** The timestamp of an earlier stamp, or a new one. */
  async function timestampOf(id: string, signature: Buffer) {
    const { state } = await stamps.load(id);
    const isFirst = state.status === 'NONE';
    const timestampToken = isFirst
      ? await timestamping.timestamp(sha256(signature), 'SHA256')
      : Buffer.from(state.stamped.timestampToken, 'base64');
    return { isFirst, timestampToken };
  }

  /** @returns the PDF, and the digest of what it was made of */
  async function make(
    input: Pick<StampRequest, 'document' | 'fileName'> & {
      readonly prepared: PreparedDocument | null;
    },
    session: SignedSession,
  ) {
    const { document, prepared, fileName } = input;
    if (prepared !== null) {
      const pdf = await stamping.complete(prepared.pdf, session);
      return { pdf, warnings: prepared.warnings, source: prepared.documentDigest };
    }
    // The bytes may be gone once the document was stamped.
    const source = sha256Hex(document);
    return { ...accepted(await stamping.stamp(document, session, fileName)), source };
  }

  return async (request, context) => {
    const { sessionId, document } = request;
    const { signed, prepared } = await signatureOver(await readSigned(request), request);
    const { id, started, confirmation } = signed;
    const fileName = started.fileName ?? request.fileName ?? prepared?.fileName ?? null;
    const signature = Buffer.from(confirmation.signature, 'base64');
    const [signer, { isFirst, timestampToken }] = await Promise.all([
      signerOfSession(referenceData, started, confirmation),
      timestampOf(id, signature),
    ]);
    const session: SignedSession = {
      sessionId: id,
      signer,
      signature,
      timestampToken,
      digest: signed.digest,
      hash: signed.hash,
      relyingPartyName: displayedName(started),
      signatureAlgorithm: confirmation.signatureAlgorithm,
      pss: confirmation.nested?.pss ?? null,
      completedAt: confirmation.completedAt,
    };
    const { pdf, source, warnings } = await make({ document, prepared, fileName }, session);
    const digest = sha256Hex(pdf);
    const making = prepared === null ? 'STAMP' : 'SIGNATURE';
    const sources = [id, source];
    await dependencies.madeDocuments.record({ digest, making, sources }, context);
    if (isFirst) {
      const form: StampForm = prepared === null ? 'DOCUMENT_SIGNER' : 'SIGNER';
      const stamped = {
        sessionId,
        civilId: confirmation.civilId,
        form,
        fileName,
        timestampToken: timestampToken.toString('base64'),
        stampedDigest: digest,
        stampedAt: clock.now().toISOString(),
      };
      const record = { type: 'RecordStamped', stamped } as const;
      // The QR code of a prepared document was printed before the session existed. The session's stamp is recorded
      // last: until then, a repeated stamp counts as the first, and records both.
      if (prepared !== null) {
        const ofPrepared = { ...record, stamped: { ...stamped, sessionId: id } };
        await stamps.handleNew(prepared.preparedId, ofPrepared, context);
      }
      await stamps.handleNew(id, record, context);
    }
    return { pdf, fileName, warnings };
  };
}

const hexOf = ({ digest }: SignedSignature) => digest.toString('hex');

/** Digests of a document by the algorithms of these signatures, each computed once: a document is long. */
function digestsOf(
  document: Buffer,
  signed: readonly SignedSignature[],
): ReadonlyMap<HashAlgorithm, Buffer> {
  const algorithms = [...new Set(signed.map(({ hash }) => hash))];
  return new Map(
    algorithms.map((each) => [each, createHash(each.toLowerCase()).update(document).digest()]),
  );
}
