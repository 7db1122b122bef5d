import { type HashAlgorithm, lengthPrefixed, uuidFrom } from '../shared/digest.ts';
import { Refusal } from '../shared/refusal.ts';
import type { BatchDocumentSigned, SessionConfirmed, SessionStarted } from './events.ts';

// Batch signatures: several documents, one verification code, one PIN2, a signature for each.

/** Bounds of the number of documents in one batch: more texts than these nobody reads before entering a PIN. */
export const batchSize = { atLeast: 2, atMost: 20 } as const;

/** A document of a batch, as the citizen is asked to sign it. */
export interface BatchDocument {
  /** Base64, as sent. */
  readonly digest: string;
  readonly hashType: HashAlgorithm;
  readonly displayText60: string;
  /** Null: none was sent. */
  readonly fileName: string | null;
}

/** Signature of one document. */
export interface DocumentSignature {
  /** Base64; an ECDSA value is a DER sequence. */
  readonly value: string;
  readonly signatureAlgorithm: string;
}

type Started = SessionStarted['data'];

/** A signed document of a batch. */
export type SignedDocument = BatchDocumentSigned['data'];

/** Documents of a batch, in the order sent; null: not a batch. Without texts once the person was forgotten. */
export function documentsOf({
  documents,
  documentTexts,
}: Pick<Started, 'documents' | 'documentTexts'>): readonly BatchDocument[] | null {
  if (documents === null) return null;
  return documents.map((document, index) => ({
    ...document,
    displayText60: documentTexts?.[index]?.displayText60 ?? '',
    fileName: documentTexts?.[index]?.fileName ?? null,
  }));
}

/** Fields of a session in which its documents are stored, the personal ones apart. */
export function storedBatch(
  documents: readonly BatchDocument[],
): Pick<Started, 'documents' | 'documentTexts'> {
  return {
    documents: documents.map(({ digest, hashType }) => ({ digest, hashType })),
    documentTexts: documents.map(({ displayText60, fileName }) => ({ displayText60, fileName })),
  };
}

/** Requests of one signature each: of a batch one a document, otherwise the session as it is. */
export function singleRequests(started: Started): readonly [Started, ...Started[]] {
  const [first, ...others] = (documentsOf(started) ?? []).map(({ digest, hashType, fileName }) => ({
    ...started,
    digest,
    hashType,
    fileName,
    documents: null,
    documentTexts: null,
  }));
  return first === undefined ? [started] : [first, ...others];
}

/**
 * Bytes that the verification code of a batch is computed from: `LP(digest 1) ‖ LP(digest 2) ‖ …`. At least 72 bytes, so
 * they are never those of a single digest.
 */
export function batchContent(documents: readonly Pick<BatchDocument, 'digest'>[]): Buffer {
  return Buffer.concat(
    documents.map(({ digest }) => lengthPrefixed(Buffer.from(digest, 'base64'))),
  );
}

/**
 * Events of a confirmed batch, one a document in the order sent; none for another session.
 *
 * @throws Refusal INVALID_REQUEST unless there is one signature for each document
 */
export function signedDocuments(
  started: Started,
  answer: {
    readonly by: Pick<SignedDocument, 'documentNumber' | 'civilId'>;
    readonly documents: readonly DocumentSignature[];
    readonly certificateSerial: string;
    readonly now: string;
  },
): readonly BatchDocumentSigned[] {
  const documents = documentsOf(started) ?? [];
  if (answer.documents.length !== documents.length) throw new Refusal('INVALID_REQUEST');
  const { by, certificateSerial, now: signedAt } = answer;
  return answer.documents.flatMap(({ value: signature, signatureAlgorithm }, index) => {
    const document = documents[index];
    if (document === undefined) return [];
    const signed = { ...document, signature, signatureAlgorithm, certificateSerial, signedAt };
    return [{ type: 'BatchDocumentSigned', data: { ...by, position: index + 1, ...signed } }];
  });
}

/** One signature of a completed session, as if the session had asked for it alone. */
export interface SingleSignature {
  /** The session's id; of a document of a batch one made of it, under which it is stamped and verified. */
  readonly id: string;
  readonly started: Started;
  readonly confirmation: SessionConfirmed['data'];
}

/** Signatures of a session that ended with OK: one, or of a batch one a document; none otherwise. */
export function signaturesIn({
  started,
  outcome: { confirmation, documents },
}: {
  readonly started: Started;
  readonly outcome: {
    readonly confirmation: SessionConfirmed['data'] | null;
    readonly documents: readonly SignedDocument[];
  };
}): readonly SingleSignature[] {
  if (confirmation === null) return [];
  const { sessionId } = started;
  if (started.documents === null) return [{ id: sessionId, started, confirmation }];
  return singleRequests(started).flatMap((single, index) => {
    const document = documents[index];
    if (document === undefined) return [];
    const { position, signature, signatureAlgorithm } = document;
    const id = uuidFrom(Buffer.from(`batch ${sessionId} ${position}`));
    const signed = { ...confirmation, signature, signatureAlgorithm };
    return [{ id, started: single, confirmation: signed }];
  });
}
