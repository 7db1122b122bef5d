import { civilIdOf } from '../shared/etsi.ts';
import { defineEvents, event, type EventOf } from '../shared/defineEvents.ts';
import {
  boolean,
  type Fields,
  list,
  nullable,
  number,
  object,
  oneOf,
  text,
} from '../shared/eventFields.ts';
import { certificateLevels } from '../shared/certificateLevel.ts';
import { documentWarnings } from '../shared/documentWarnings.ts';
import { documentTypes, signingRails } from '../shared/documentTypes.ts';
import { FORGOTTEN } from '../shared/personalData.ts';

// Storage format: see domain/shared/defineEvents.ts.

/** Signature format of a document, determined by its file (specification, Document that carries a file). */
export const documentFormats = ['pades', 'detached', 'approval'] as const;

export type DocumentFormat = (typeof documentFormats)[number];

/** Proof of a signer's consent: a signature of the citizen's own eID, confirmed with PIN2 on the phone. */
export const consentProofs = ['eid_signature'] as const;

const storedFile = {
  /** UUID. */
  fileId: text,
  /** Lower-case hexadecimal. */
  sha256: text,
  sizeBytes: number,
};

/** A file in the file store, with its digest and size when it was stored. */
export type StoredFile = Fields<typeof storedFile>;

const attachedFile = {
  ...storedFile,
  fileName: text,
  /** Detected `application/pdf`, or the declared type. */
  contentType: text,
  /** Active content of a PDF; null: no PDF, or attached before version 2. */
  warnings: nullable(list(oneOf(documentWarnings))),
};

/** The file a document carries. */
export type AttachedFile = Fields<typeof attachedFile>;

/**
 * Civil id whose data key seals the texts: of the first known signer, or of the citizen who created the document; null:
 * platform key.
 */
const owner = nullable(text);

const ownerOf = (data: { readonly owner: string | null }) => data.owner;

export const documentEvents = defineEvents('document', {
  DocumentCreated: event({
    version: 2,
    sameBefore: { clientId: null },
    data: {
      owner,
      documentId: text,
      /** The organization it belongs to. */
      tenantId: text,
      title: text,
      docType: oneOf(documentTypes),
      /** Civil ids of the signers, in order; null: anybody may sign at that place. */
      signers: list(nullable(text)),
      /** OpenID Connect client through which it was made; null: made otherwise. */
      clientId: nullable(text),
      createdAt: text,
    },
    // Titles and names of files are free text; evidence carries the signer's certificate.
    personal: { subject: ownerOf, placeholders: { title: FORGOTTEN } },
    audit: {
      type: 'DOCUMENT_CREATE',
      details: ({ tenantId, docType, signers }) => ({ tenantId, docType, signers: signers.length }),
    },
  }),

  DocumentFileAttached: event({
    version: 2,
    data: {
      owner,
      ...attachedFile,
      documentId: text,
      attachedAt: text,
    },
    personal: { subject: ownerOf, placeholders: { fileName: FORGOTTEN } },
    audit: {
      type: 'DOCUMENT_FILE_ATTACH',
      details: ({ contentType, sizeBytes, sha256 }) => ({ contentType, sizeBytes, sha256 }),
    },
  }),

  /** A citizen was asked to sign; no other person can be asked until that has ended. */
  DocumentSigningStarted: event({
    data: {
      documentId: text,
      sessionId: text,
      civilId: text,
      rail: oneOf(signingRails),
      format: oneOf(documentFormats),
      /** SHA-256 that is to be signed, lower-case hexadecimal. */
      coveredDigest: text,
      /** Of a PDF: what awaits the signature. */
      preparedId: nullable(text),
      startedAt: text,
      /** From then on nobody answers any more. */
      endsAt: text,
    },
    audit: {
      type: 'DOCUMENT_SIGN_START',
      civilId: civilIdOf,
      details: ({ rail, format, sessionId, coveredDigest }) => ({
        rail,
        format,
        sessionId,
        coveredDigest,
      }),
    },
  }),

  DocumentSigned: event({
    data: {
      documentId: text,
      sessionId: text,
      civilId: text,
      rail: oneOf(signingRails),
      format: oneOf(documentFormats),
      /** SHA-256 that was signed, lower-case hexadecimal; of a PDF that of the signed attributes (RFC 5652 §5.4). */
      coveredDigest: text,
      proof: oneOf(consentProofs),
      certificateSerial: text,
      certificateLevel: oneOf(certificateLevels),
      signatureAlgorithm: text,
      /** Base64; an ECDSA value is a DER sequence. Verified before this was written. */
      signature: text,
      /** Of `detached` and `approval`: a detached CMS signature with timestamp, base64 DER. It names the signer. */
      evidence: nullable(text),
      /** Of `pades`: the PDF with this signature and all before it. */
      signedFile: nullable(object(storedFile)),
      signedAt: text,
    },
    personal: { subject: civilIdOf, placeholders: { evidence: null } },
    audit: {
      type: 'DOCUMENT_SIGN',
      civilId: civilIdOf,
      details: ({ rail, format, sessionId, coveredDigest, proof, certificateSerial }) => ({
        rail,
        format,
        sessionId,
        coveredDigest,
        proof,
        certificateSerial,
      }),
    },
  }),

  /** A citizen was asked and did not sign. */
  DocumentSigningEnded: event({
    data: {
      documentId: text,
      sessionId: text,
      civilId: text,
      rail: oneOf(signingRails),
      /** Result of the session (contract §3), or `NOT_STARTED`. */
      endResult: text,
      /** The signer was asked by name and refused: the document is rejected. */
      isRejection: boolean,
      endedAt: text,
    },
    audit: {
      type: 'DOCUMENT_SIGN_END',
      civilId: civilIdOf,
      details: ({ rail, sessionId, endResult, isRejection }) => ({
        rail,
        sessionId,
        endResult,
        isRejection,
      }),
    },
  }),
});

export type DocumentEvent = EventOf<typeof documentEvents>;
export type DocumentCreated = EventOf<typeof documentEvents, 'DocumentCreated'>;
export type DocumentSigningStarted = EventOf<typeof documentEvents, 'DocumentSigningStarted'>;
export type DocumentSigned = EventOf<typeof documentEvents, 'DocumentSigned'>;
