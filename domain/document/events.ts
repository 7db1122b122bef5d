import type { CertificateLevel } from '../shared/certificateLevel.ts';
import type { DomainEvent } from '../shared/decider.ts';
import type { DocumentType, SigningRail } from '../shared/documentTypes.ts';
import { FORGOTTEN, type PersonalData } from '../shared/personalData.ts';

// Storage format: see domain/session/events.ts.

/** How a document is signed; its file decides, nobody else (specification, Document that carries a file). */
export const documentFormats = ['pades', 'detached', 'approval'] as const;

export type DocumentFormat = (typeof documentFormats)[number];

/** How the consent of a signer was proven: by a signature of the citizen's own eID, confirmed with PIN2 on the phone. */
export const consentProofs = ['eid_signature'] as const;

export type ConsentProof = (typeof consentProofs)[number];

/** Bytes in the file store, and what they were when they were put there. */
export interface StoredFile {
  /** UUID. */
  readonly fileId: string;
  /** Lower-case hexadecimal. */
  readonly sha256: string;
  readonly sizeBytes: number;
}

/** The file a document carries. */
export interface AttachedFile extends StoredFile {
  readonly fileName: string;
  /** As the bytes say: `application/pdf`, or what was declared. */
  readonly contentType: string;
}

/** Whoever the texts of a document may name: the first signer there is; null: nobody in particular. */
interface Confidential {
  /** Civil id. */
  readonly owner: string | null;
}

export type DocumentCreated = DomainEvent<
  'DocumentCreated',
  Confidential & {
    readonly documentId: string;
    /** The organization it belongs to. */
    readonly tenantId: string;
    readonly title: string;
    readonly docType: DocumentType;
    /** Civil ids of who is to sign, in order; null: whoever does. */
    readonly signers: readonly (string | null)[];
    readonly createdAt: string;
  }
>;

export type DocumentFileAttached = DomainEvent<
  'DocumentFileAttached',
  Confidential & AttachedFile & { readonly documentId: string; readonly attachedAt: string }
>;

/** A citizen is asked to sign; until that has ended nobody else is. */
export type DocumentSigningStarted = DomainEvent<
  'DocumentSigningStarted',
  {
    readonly documentId: string;
    readonly sessionId: string;
    readonly civilId: string;
    readonly rail: SigningRail;
    readonly format: DocumentFormat;
    /** SHA-256 that is to be signed, lower-case hexadecimal. */
    readonly coveredDigest: string;
    /** Of a PDF: what awaits the signature. */
    readonly preparedId: string | null;
    readonly startedAt: string;
    /** From then on nobody answers any more. */
    readonly endsAt: string;
  }
>;

export type DocumentSigned = DomainEvent<
  'DocumentSigned',
  {
    readonly documentId: string;
    readonly sessionId: string;
    readonly civilId: string;
    readonly rail: SigningRail;
    readonly format: DocumentFormat;
    /** SHA-256 that was signed, lower-case hexadecimal; of a PDF that of the signed attributes (RFC 5652 §5.4). */
    readonly coveredDigest: string;
    readonly proof: ConsentProof;
    readonly certificateSerial: string;
    readonly certificateLevel: CertificateLevel;
    readonly signatureAlgorithm: string;
    /** Base64; an ECDSA value is a DER sequence. Verified before this was written. */
    readonly signature: string;
    /** Of `detached` and `approval`: a detached CMS signature with timestamp, base64 DER. It names the signer. */
    readonly evidence: string | null;
    /** Of `pades`: the PDF with this signature and all before it. */
    readonly signedFile: StoredFile | null;
    readonly signedAt: string;
  }
>;

/** A citizen was asked and did not sign. */
export type DocumentSigningEnded = DomainEvent<
  'DocumentSigningEnded',
  {
    readonly documentId: string;
    readonly sessionId: string;
    readonly civilId: string;
    readonly rail: SigningRail;
    /** As the session ended (contract §3), or `NOT_STARTED`. */
    readonly endResult: string;
    /** The signer was asked by name and refused: the document is rejected. */
    readonly isRejection: boolean;
    readonly endedAt: string;
  }
>;

export type DocumentEvent =
  | DocumentCreated
  | DocumentFileAttached
  | DocumentSigningStarted
  | DocumentSigned
  | DocumentSigningEnded;

const owner = (data: Confidential) => data.owner;

/** Titles and names of files are free text; evidence carries the signer's certificate. */
export const documentPersonalData: PersonalData<DocumentEvent> = {
  DocumentCreated: { subject: owner, placeholders: { title: FORGOTTEN } },
  DocumentFileAttached: { subject: owner, placeholders: { fileName: FORGOTTEN } },
  DocumentSigned: { subject: (data) => data.civilId, placeholders: { evidence: null } },
};
