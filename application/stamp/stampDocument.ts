import type { SessionConfirmed, SessionStarted } from '../../domain/session/events.ts';
import { type HashAlgorithm, sha256, sha256Hex } from '../../domain/shared/digest.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import type { StampForm } from '../../domain/stamp/events.ts';
import type { CommandContext } from '../handleCommand.ts';
import type { Clock } from '../ports/clock.ts';
import type { CertificateFacts, CitizenFacts } from '../ports/facts.ts';
import type { PdfRefused, PdfStamping, SignedSession } from '../ports/pdfStamping.ts';
import type { PreparedDocument, PreparedDocuments } from '../ports/preparedDocuments.ts';
import type { Timestamping } from '../ports/timestamping.ts';
import type { Sessions } from '../session/sessions.ts';
import { signerOfSession } from './signerOfSession.ts';
import type { Stamps } from './stamps.ts';

export interface StampRequest {
  readonly sessionId: string;
  /** Who asks; another relying party's session does not exist for it. */
  readonly relyingPartyId: string;
  /** The PDF that was signed; empty for a prepared document. Given away: not to be used afterwards. */
  readonly document: Buffer;
  /** Used when the session itself names none. */
  readonly fileName: string | null;
  /** Only this prepared document; null: whichever awaits the signature. */
  readonly preparedId: string | null;
}

export interface StampedDocument {
  readonly pdf: Buffer;
  readonly fileName: string | null;
}

export interface StampDocumentDependencies {
  readonly sessions: Sessions;
  readonly stamps: Stamps;
  readonly facts: CitizenFacts & CertificateFacts;
  readonly stamping: PdfStamping;
  readonly preparedDocuments: PreparedDocuments;
  readonly timestamping: Timestamping;
  readonly clock: Clock;
}

/**
 * Makes the stamped PDF of a session; resolved means the timestamp of the citizen's signature is durable. Repeatable
 * while the session can be read.
 *
 * @throws Refusal SESSION_NOT_FOUND, SESSION_NOT_COMPLETE, DIGEST_MISMATCH, NOT_A_PDF, PDF_…, PERSON_NOT_FOUND,
 *   PREPARED_DOCUMENT_NOT_FOUND, PREPARED_FOR_OTHER_SIGNER
 * @throws Unavailable, Overloaded
 */
export type StampDocument = (
  request: StampRequest,
  context: CommandContext,
) => Promise<StampedDocument>;

interface SignedSignature {
  readonly started: SessionStarted['data'];
  readonly confirmation: SessionConfirmed['data'];
  readonly digest: Buffer;
  readonly hash: HashAlgorithm;
}

export function createStampDocument(dependencies: StampDocumentDependencies): StampDocument {
  const { sessions, stamps, facts, stamping, preparedDocuments, timestamping, clock } =
    dependencies;

  async function readSigned({ sessionId, relyingPartyId }: StampRequest): Promise<SignedSignature> {
    const trusts = ({ status }: { readonly status: string }) => status === 'COMPLETE';
    const { state } = await sessions.load(sessionId, { trusts });
    const isReadable =
      state.status !== 'NONE' &&
      state.started.relyingPartyId === relyingPartyId &&
      clock.now().toISOString() < state.started.readableUntil;
    if (!isReadable) throw new Refusal('SESSION_NOT_FOUND');
    const { digest, hashType } = state.started;
    const confirmation = state.status === 'COMPLETE' ? state.outcome.confirmation : null;
    if (confirmation === null || digest === null || hashType === null) {
      throw new Refusal('SESSION_NOT_COMPLETE', {
        detail: 'Only a signature session that is COMPLETE with OK can be stamped.',
      });
    }
    return {
      ...{ started: state.started, confirmation },
      ...{ digest: Buffer.from(digest, 'base64'), hash: hashType },
    };
  }

  /** The prepared document this signature belongs to; null when the request brings its own. */
  async function findPrepared(
    { relyingPartyId, document, preparedId }: StampRequest,
    { digest, hash, confirmation }: SignedSignature,
  ): Promise<PreparedDocument | null> {
    if (document.length > 0) return null;
    const found = await preparedDocuments.find(relyingPartyId, digest.toString('hex'), clock.now());
    if (found === null && preparedId === null) throw new Refusal('NOT_A_PDF');
    if (found === null || (preparedId !== null && found.preparedId !== preparedId)) {
      throw new Refusal('PREPARED_DOCUMENT_NOT_FOUND');
    }
    if (found.certificateSerial !== confirmation.certificateSerial || found.hash !== hash) {
      throw new Refusal('PREPARED_FOR_OTHER_SIGNER');
    }
    return found;
  }

  /** What the log kept of an earlier stamp, or a fresh timestamp. */
  async function timestampOf(sessionId: string, signature: Buffer) {
    const { state } = await stamps.load(sessionId);
    const isFirst = state.status === 'NONE';
    const timestampToken = isFirst
      ? await timestamping.timestamp(sha256(signature), 'SHA256')
      : Buffer.from(state.stamped.timestampToken, 'base64');
    return { isFirst, timestampToken };
  }

  return async (request, context) => {
    const { sessionId, document } = request;
    const signed = await readSigned(request);
    const { started, confirmation } = signed;
    const prepared = await findPrepared(request, signed);
    const fileName = started.fileName ?? request.fileName ?? prepared?.fileName ?? null;
    const signature = Buffer.from(confirmation.signature, 'base64');
    const [signer, { isFirst, timestampToken }] = await Promise.all([
      signerOfSession(facts, started, confirmation),
      timestampOf(sessionId, signature),
    ]);
    const session: SignedSession = {
      ...{ sessionId, signer, signature, timestampToken },
      ...{ digest: signed.digest, hash: signed.hash },
      relyingPartyName: started.relyingPartyName,
      signatureAlgorithm: confirmation.signatureAlgorithm,
      pss: confirmation.nested?.pss ?? null,
      completedAt: confirmation.completedAt,
    };
    const pdf =
      prepared === null
        ? accepted(await stamping.stamp(document, session, fileName)).pdf
        : await stamping.complete(prepared.pdf, session);
    if (isFirst) {
      const form: StampForm = prepared === null ? 'DOCUMENT_SIGNER' : 'SIGNER';
      const stamped = {
        ...{ sessionId, civilId: confirmation.civilId, form, fileName },
        timestampToken: timestampToken.toString('base64'),
        stampedDigest: sha256Hex(pdf),
        stampedAt: clock.now().toISOString(),
      };
      const record = { type: 'RecordStamped', stamped } as const;
      // The QR code of a prepared document was printed before there was a session. The session's stamp comes last: until
      // it is there, a repeated stamp is the first, and records both.
      if (prepared !== null) await stamps.handleNew(prepared.preparedId, record, context);
      await stamps.handleNew(sessionId, record, context);
    }
    return { pdf, fileName };
  };
}

/** @throws Refusal saying what is wrong with the document */
export function accepted<Result extends object>(result: Result | PdfRefused): Result {
  if (!('refused' in result)) return result;
  const { refused, detail } = result;
  throw new Refusal(refused, detail === null ? {} : { detail });
}
