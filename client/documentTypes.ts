import type { CallOptions } from './callOptions.ts';
import type { EndResult } from './endResult.ts';

/** Type of a document: decides by whom and how it may be signed. */
export type DocumentType = 'CONTRACT' | 'REQUEST' | 'APPROVAL';

/** A document to be made. */
export interface NewDocument {
  /** Shown to its signers: 1 to 200 characters. */
  readonly title: string;
  /** Type. */
  readonly docType: DocumentType;
  /** Registration numbers in the order of signing; null: whoever signs. Default: one, whoever signs. */
  readonly signers?: readonly (string | null)[];
}

/** A file of a document. */
export interface DocumentFile {
  /** Name without path. */
  readonly fileName: string;
  /** Media type, decided by the bytes. */
  readonly contentType: string;
  /** Length, bytes. */
  readonly sizeBytes: number;
  /** Of what was uploaded, lower-case hexadecimal. */
  readonly sha256: string;
  /** Active content of a PDF, for example `JAVASCRIPT`; null: no PDF, or not looked at. */
  readonly warnings: readonly string[] | null;
}

/** A signer of a document. */
export interface DocumentSigner {
  /** Place in the order of signing, from 1. */
  readonly order: number;
  /** Registration number; null: whoever signs, forgotten, or hidden from other citizens. */
  readonly regNo: string | null;
  /** True: named when the document was made. */
  readonly isNamed: boolean;
  /** RFC 3339; null: not yet. */
  readonly signedAt: string | null;
}

/** A document of the caller's organization. */
export interface PlatformDocument {
  /** UUID. */
  readonly id: string;
  /** Title. */
  readonly title: string;
  /** Type. */
  readonly docType: DocumentType;
  /** Stage. */
  readonly status: 'DRAFT' | 'PENDING_APPROVAL' | 'APPROVED' | 'REJECTED';
  /** Form of its signatures: in the PDF, beside the file, or over a text about the approval. */
  readonly format: 'pades' | 'detached' | 'approval';
  /** Null: none was uploaded. */
  readonly file: DocumentFile | null;
  /** In the order of signing. */
  readonly signers: readonly DocumentSigner[];
  /** SHA-256 that the latest signature covers, hexadecimal; null: none yet. */
  readonly coveredDigest: string | null;
  /** RFC 3339. */
  readonly createdAt: string;
  /** RFC 3339. */
  readonly updatedAt: string;
}

/** A page of documents. */
export interface DocumentPage {
  /** The newest first. */
  readonly documents: readonly PlatformDocument[];
  /** Number of all. */
  readonly total: number;
  /** Hand it on for the next pages: documents made since then move none to another page; null: not known. */
  readonly snapshot: string | null;
}

/** Options of a list of documents. */
export interface DocumentPageOptions extends CallOptions {
  /** Most documents in the page. */
  readonly limit?: number;
  /** Documents before it. */
  readonly offset?: number;
  /** `snapshot` of the first page. */
  readonly snapshot?: string;
}

/** A file to send. */
export interface SentFile {
  /** Content. */
  readonly bytes: Uint8Array;
  /** Name without path. */
  readonly fileName: string;
}

/** Options of calls that send or fetch a file. */
export interface FileOptions extends CallOptions {
  /** Timeout of this call, ms; default 60000. */
  readonly timeoutMs?: number;
}

/** A file compared with the signed ones of a document. */
export interface RecognizedFile {
  /** `signed`: the whole file; `altered`: a signed file and something added, which a reader may show instead. */
  readonly result: 'signed' | 'altered' | 'other';
  /** Of the signed file, hexadecimal; null: other. */
  readonly sha256: string | null;
  /** Kinds of what was added; empty unless altered. */
  readonly added: readonly string[];
}

/** A signature of a document. */
export interface DocumentSignature {
  /** Place in the order of signing, from 1. */
  readonly order: number;
  /** Null after the signer was forgotten. */
  readonly signerName: string | null;
  /** Null after the signer was forgotten. */
  readonly regNo: string | null;
  /** SHA-256 covered, hexadecimal. */
  readonly coveredDigest: string;
  /** Base64, over `coveredDigest`. */
  readonly signature: string;
  /** For example `ecdsa-with-SHA256`. */
  readonly signatureAlgorithm: string;
  /** Hexadecimal. */
  readonly certificateSerial: string;
  /** Session in which it was made. */
  readonly sessionId: string;
  /** RFC 3339. */
  readonly signedAt: string;
  /** Detached CMS, base64 DER; null: in the PDF, or forgotten. */
  readonly evidence: string | null;
}

/** A way to sign, and what stands against it. */
export interface SigningRail {
  /** An eID of this platform, or the national DAN service. */
  readonly method: 'EID' | 'DAN';
  /** True: it can be used. */
  readonly available: boolean;
  /** `not_allowed` or `not_configured`; null: nothing. */
  readonly reason: string | null;
}

/** A signature asked for on the phone. */
export interface SigningStarted {
  /** UUID, for `pollSigning`. */
  readonly sessionId: string;
  /** Code to show: the signer compares it with the phone's. */
  readonly verificationCode: string;
  /** Text the phone shows. */
  readonly displayText: string;
}

/** State of a signature. */
export interface SigningState {
  /** RUNNING: the signer has not answered yet. */
  readonly state: 'RUNNING' | 'COMPLETE';
  /** `OK`: signed; null while RUNNING. */
  readonly endResult: EndResult | null;
  /** The document afterwards; null while RUNNING. */
  readonly document: PlatformDocument | null;
}

/** Rules of signing documents of a type. */
export interface DocumentPolicy {
  /** By an eID of this platform. */
  readonly allowEid: boolean;
  /** By the national DAN service. */
  readonly allowDan: boolean;
  /** Only by signers who are named. */
  readonly requireNamedSigner: boolean;
}
