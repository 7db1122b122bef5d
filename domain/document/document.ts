import { type Decider, unreachable } from '../shared/decider.ts';
import { sha256Hex } from '../shared/digest.ts';
import { personEtsi } from '../shared/etsi.ts';
import { Refusal } from '../shared/refusal.ts';
import type {
  AttachedFile,
  DocumentCreated,
  DocumentEvent,
  DocumentFormat,
  DocumentSigned,
  DocumentSigningStarted,
  StoredFile,
} from './events.ts';

// State

/** Status of a document (contract §11). */
export const documentStatuses = ['DRAFT', 'PENDING_APPROVAL', 'APPROVED', 'REJECTED'] as const;

export type DocumentStatus = (typeof documentStatuses)[number];

export type Signing = DocumentSigningStarted['data'];
export type DocumentSignature = DocumentSigned['data'];

export interface DocumentRecord {
  readonly status: DocumentStatus;
  readonly created: DocumentCreated['data'];
  readonly file: AttachedFile | null;
  /** In order; each belongs to the signer at the same index. */
  readonly signatures: readonly DocumentSignature[];
  /** Signing in progress: until its result is recorded no other may start, and the file is kept. */
  readonly signing: Signing | null;
  /** Sessions that ended without a signature, with their result. */
  readonly endings: ReadonlyMap<string, string>;
  /** Civil ids of the named signers, and of everybody asked to sign. */
  readonly parties: ReadonlySet<string>;
  /** Files attached and signings started, of which a document has {@link mostChanges}. */
  readonly changes: number;
  /** Time of the last event. */
  readonly changedAt: string;
}

/** Files attached to a document and signings of it at most: every command reads all of them. */
export const mostChanges = 500;

export type Document = { readonly status: 'NONE' } | DocumentRecord;

function evolve(document: Document, event: DocumentEvent): Document {
  if (event.type === 'DocumentCreated') {
    const created = event.data;
    return {
      status: 'DRAFT',
      created,
      file: null,
      signatures: [],
      signing: null,
      endings: new Map(),
      parties: new Set(created.signers.filter((civilId) => civilId !== null)),
      changes: 0,
      changedAt: created.createdAt,
    };
  }
  return document.status === 'NONE' ? document : progress(document, event);
}

function progress(
  document: DocumentRecord,
  event: Exclude<DocumentEvent, DocumentCreated>,
): DocumentRecord {
  switch (event.type) {
    case 'DocumentFileAttached': {
      const { fileId, sha256, sizeBytes, fileName, contentType, warnings, attachedAt } = event.data;
      const file = { fileId, sha256, sizeBytes, fileName, contentType, warnings };
      const changes = document.changes + 1;
      return { ...document, file, signing: null, changes, changedAt: attachedAt };
    }
    case 'DocumentSigningStarted': {
      const { startedAt, civilId } = event.data;
      return {
        ...document,
        status: 'PENDING_APPROVAL',
        signing: event.data,
        parties: new Set(document.parties).add(civilId),
        changes: document.changes + 1,
        changedAt: startedAt,
      };
    }
    case 'DocumentSigned': {
      const signatures = [...document.signatures, event.data];
      const isLast = signatures.length === document.created.signers.length;
      const status = isLast ? 'APPROVED' : 'PENDING_APPROVAL';
      return { ...document, status, signatures, signing: null, changedAt: event.data.signedAt };
    }
    case 'DocumentSigningEnded': {
      const { sessionId, endResult, isRejection, endedAt } = event.data;
      const endings = new Map(document.endings).set(sessionId, endResult);
      const status = isRejection ? 'REJECTED' : document.status;
      return { ...document, status, endings, signing: null, changedAt: endedAt };
    }
    default:
      return unreachable(event);
  }
}

/** Signature format, determined by the content. */
export function formatOf({ file }: Pick<DocumentRecord, 'file'>): DocumentFormat {
  if (file === null) return 'approval';
  return file.contentType === 'application/pdf' ? 'pades' : 'detached';
}

/** The newest bytes: the last signed ones, or else those uploaded; null: none. */
export function currentFile({ file, signatures }: DocumentRecord): StoredFile | null {
  return signatures.findLast(({ signedFile }) => signedFile !== null)?.signedFile ?? file;
}

/** Every file of the document to keep. */
export function filesOf({ file, signatures }: DocumentRecord): readonly string[] {
  const signed = signatures.flatMap(({ signedFile }) => signedFile ?? []);
  return [...(file === null ? [] : [file]), ...signed].map(({ fileId }) => fileId);
}

/** Content of an approval without a file, whose digest is signed: JSON with sorted keys (RFC 8785). */
export function approvalRecord({ created }: Pick<DocumentRecord, 'created'>): string {
  const { createdAt, docType, documentId, signers, tenantId, title } = created;
  return JSON.stringify({
    created_at: createdAt,
    doc_type: docType,
    id: documentId,
    signers: signers.map((civilId) => civilId && personEtsi(civilId)),
    tenant_id: tenantId,
    title,
  });
}

/** SHA-256 of the content covered by a `detached` or `approval` signature, lower-case hexadecimal. */
export function contentDigest(document: DocumentRecord): string {
  return document.file?.sha256 ?? sha256Hex(approvalRecord(document));
}

// Commands

export type DocumentCommand =
  | { readonly type: 'CreateDocument'; readonly created: DocumentCreated['data'] }
  | { readonly type: 'AttachFile'; readonly file: AttachedFile; readonly now: string }
  | {
      readonly type: 'StartSigning';
      readonly signing: Omit<Signing, 'documentId'>;
      /** File the signing was prepared from; null: none. */
      readonly fileId: string | null;
      /** True when the policy requires signers to be named beforehand. */
      readonly requiresNamedSigner: boolean;
    }
  | { readonly type: 'RecordSignature'; readonly signature: Omit<DocumentSignature, 'documentId'> }
  | {
      readonly type: 'EndSigning';
      readonly sessionId: string;
      readonly endResult: string;
      readonly now: string;
    };

type Command<Type extends DocumentCommand['type']> = Extract<DocumentCommand, { type: Type }>;

// Decisions

function decide(command: DocumentCommand, document: Document): readonly DocumentEvent[] {
  if (command.type === 'CreateDocument') {
    if (document.status !== 'NONE') throw new Refusal('CONFLICT');
    return [{ type: 'DocumentCreated', data: command.created }];
  }
  if (document.status === 'NONE') throw documentNotFound();
  switch (command.type) {
    case 'AttachFile':
      return attach(command, document);
    case 'StartSigning':
      return start(command, document);
    case 'RecordSignature':
      return record(command, document);
    case 'EndSigning':
      return end(command, document);
    default:
      return unreachable(command);
  }
}

/** Unknown, or another organization's. */
export function documentNotFound(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'There is no such document.' });
}

/** @throws Refusal DOCUMENT_FROZEN, SIGNING_UNDER_WAY unless its file may be attached or replaced */
export function expectFileChangeable(document: DocumentRecord): void {
  const { signatures, signing, status } = document;
  if (signatures.length > 0 || status === 'REJECTED') throw new Refusal('DOCUMENT_FROZEN');
  // Also after the deadline: the citizen may have signed, without the result being recorded yet.
  if (signing !== null) throw new Refusal('SIGNING_UNDER_WAY');
  expectFewChanges(document);
}

function expectFewChanges({ changes }: DocumentRecord): void {
  if (changes < mostChanges) return;
  throw new Refusal('DOCUMENT_FROZEN', {
    detail: `A document allows ${mostChanges} files and signings, and has had ${changes}. Create a new document.`,
  });
}

function attach({ file, now }: Command<'AttachFile'>, document: DocumentRecord): DocumentEvent[] {
  expectFileChangeable(document);
  const { documentId, owner } = document.created;
  return [{ type: 'DocumentFileAttached', data: { documentId, owner, ...file, attachedAt: now } }];
}

/**
 * Checks that this person may be asked to sign now.
 *
 * @throws Refusal DOCUMENT_FROZEN, SIGNING_UNDER_WAY, ALREADY_SIGNED, SIGNER_NOT_NAMED, NOT_THE_SIGNER
 */
export function expectTurn(
  document: DocumentRecord,
  who: { readonly civilId: string; readonly requiresNamedSigner: boolean },
): void {
  const { created, signatures, signing, status } = document;
  if (status === 'APPROVED' || status === 'REJECTED') throw new Refusal('DOCUMENT_FROZEN');
  if (signing !== null) throw new Refusal('SIGNING_UNDER_WAY');
  if (signatures.some(({ civilId }) => civilId === who.civilId)) {
    throw new Refusal('ALREADY_SIGNED');
  }
  const [named = null, ...later] = created.signers.slice(signatures.length);
  if (named === null && who.requiresNamedSigner) throw new Refusal('SIGNER_NOT_NAMED');
  // A person named for a later turn cannot sign now: nobody signs twice, so that turn could never be filled.
  const isTheirs = named === null ? !later.includes(who.civilId) : named === who.civilId;
  if (!isTheirs) throw new Refusal('NOT_THE_SIGNER');
  expectFewChanges(document);
}

function start(
  { signing, fileId, requiresNamedSigner }: Command<'StartSigning'>,
  document: DocumentRecord,
): DocumentEvent[] {
  expectTurn(document, { civilId: signing.civilId, requiresNamedSigner });
  const present = currentFile(document)?.fileId ?? null;
  if (present !== fileId) {
    throw new Refusal('CONFLICT', {
      detail: 'The file was replaced in the meantime. Start again.',
    });
  }
  const { documentId } = document.created;
  return [{ type: 'DocumentSigningStarted', data: { documentId, ...signing } }];
}

function record(
  { signature }: Command<'RecordSignature'>,
  document: DocumentRecord,
): DocumentEvent[] {
  const { sessionId, coveredDigest, civilId } = signature;
  if (document.signatures.some((each) => each.sessionId === sessionId)) return [];
  const { signing, created } = document;
  const isAsked =
    signing?.sessionId === sessionId &&
    signing.coveredDigest === coveredDigest &&
    signing.civilId === civilId;
  if (!isAsked) {
    throw new Refusal('CONFLICT', { detail: 'The document is not waiting for this signature.' });
  }
  return [{ type: 'DocumentSigned', data: { documentId: created.documentId, ...signature } }];
}

function end(
  { sessionId, endResult, now }: Command<'EndSigning'>,
  document: DocumentRecord,
): DocumentEvent[] {
  const { signing, created, signatures } = document;
  if (signing?.sessionId !== sessionId) return [];
  const isNamed = (created.signers[signatures.length] ?? null) !== null;
  const { documentId, civilId, rail } = signing;
  return [
    {
      type: 'DocumentSigningEnded',
      data: {
        documentId,
        sessionId,
        civilId,
        rail,
        endResult,
        isRejection: isNamed && endResult.startsWith('USER_REFUSED'),
        endedAt: now,
      },
    },
  ];
}

/** A document of an organization, its file and its ordered signatures. Stream `document-<uuid>`. */
export const documentDecider: Decider<Document, DocumentCommand, DocumentEvent> = {
  initial: { status: 'NONE' },
  evolve,
  decide,
};
