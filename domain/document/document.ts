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

/** Where a document stands (contract §11). */
export const documentStatuses = ['DRAFT', 'PENDING_APPROVAL', 'APPROVED', 'REJECTED'] as const;

export type DocumentStatus = (typeof documentStatuses)[number];

export type Signing = DocumentSigningStarted['data'];
export type DocumentSignature = DocumentSigned['data'];

export interface DocumentRecord {
  readonly status: DocumentStatus;
  readonly created: DocumentCreated['data'];
  readonly file: AttachedFile | null;
  /** In the order in which they were made; each is that of the signer at the same place. */
  readonly signatures: readonly DocumentSignature[];
  /** Who is asked; until it is known how that ended nobody else is, and the file stays. */
  readonly signing: Signing | null;
  /** Sessions in which somebody was asked and did not sign: how each ended. */
  readonly endings: ReadonlyMap<string, string>;
  /** Of the last event. */
  readonly changedAt: string;
}

export type Document = { readonly status: 'NONE' } | DocumentRecord;

function evolve(document: Document, event: DocumentEvent): Document {
  if (event.type === 'DocumentCreated') {
    const created = event.data;
    return {
      ...{
        status: 'DRAFT',
        created,
        file: null,
        signatures: [],
        signing: null,
        endings: new Map(),
      },
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
      const { fileId, sha256, sizeBytes, fileName, contentType, attachedAt } = event.data;
      const file = { fileId, sha256, sizeBytes, fileName, contentType };
      return { ...document, file, signing: null, changedAt: attachedAt };
    }
    case 'DocumentSigningStarted': {
      const { startedAt } = event.data;
      return {
        ...document,
        ...{ status: 'PENDING_APPROVAL', signing: event.data, changedAt: startedAt },
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

/** How the document is signed: what it carries decides. */
export function formatOf({ file }: Pick<DocumentRecord, 'file'>): DocumentFormat {
  if (file === null) return 'approval';
  return file.contentType === 'application/pdf' ? 'pades' : 'detached';
}

/** The newest bytes: those signed last, or else those that were uploaded; null: none. */
export function currentFile({ file, signatures }: DocumentRecord): StoredFile | null {
  return signatures.findLast(({ signedFile }) => signedFile !== null)?.signedFile ?? file;
}

/** Every file of the document that must be kept. */
export function filesOf({ file, signatures }: DocumentRecord): readonly string[] {
  const signed = signatures.flatMap(({ signedFile }) => signedFile ?? []);
  return [...(file === null ? [] : [file]), ...signed].map(({ fileId }) => fileId);
}

/** What an approval without a file says, for its digest to be signed: JSON with its keys in order (RFC 8785). */
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

/** SHA-256 of what a `detached` or `approval` signature covers, lower-case hexadecimal. */
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
      /** The bytes it was prepared from; null: there were none. */
      readonly fileId: string | null;
      /** Whether policy asks for signers to be named beforehand. */
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

/** No document of this id, or not the caller's. */
export function documentNotFound(): Refusal {
  return new Refusal('NOT_FOUND', { detail: 'There is no such document.' });
}

/** @throws Refusal DOCUMENT_FROZEN, SIGNING_UNDER_WAY unless its file may be attached or replaced */
export function expectFileChangeable({ signatures, signing, status }: DocumentRecord): void {
  if (signatures.length > 0 || status === 'REJECTED') throw new Refusal('DOCUMENT_FROZEN');
  // Also once the time to answer is over: the citizen may have signed, and nobody has recorded it yet.
  if (signing !== null) throw new Refusal('SIGNING_UNDER_WAY');
}

function attach({ file, now }: Command<'AttachFile'>, document: DocumentRecord): DocumentEvent[] {
  expectFileChangeable(document);
  const { documentId, owner } = document.created;
  return [{ type: 'DocumentFileAttached', data: { documentId, owner, ...file, attachedAt: now } }];
}

/**
 * That this person may be asked to sign now.
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
  // Who is named further on keeps that place: nobody signs twice, so it could never be filled.
  const isTheirs = named === null ? !later.includes(who.civilId) : named === who.civilId;
  if (!isTheirs) throw new Refusal('NOT_THE_SIGNER');
}

function start(
  { signing, fileId, requiresNamedSigner }: Command<'StartSigning'>,
  document: DocumentRecord,
): DocumentEvent[] {
  expectTurn(document, { civilId: signing.civilId, requiresNamedSigner });
  const present = currentFile(document)?.fileId ?? null;
  if (present !== fileId) {
    throw new Refusal('CONFLICT', { detail: 'The file was replaced in between; start again.' });
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
    throw new Refusal('CONFLICT', { detail: 'The document does not await this signature.' });
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
        ...{ documentId, sessionId, civilId, rail, endResult },
        isRejection: isNamed && endResult.startsWith('USER_REFUSED'),
        endedAt: now,
      },
    },
  ];
}

/** A document of an organization, its file and its signatures in order. Stream `document-<uuid>`. */
export const documentDecider: Decider<Document, DocumentCommand, DocumentEvent> = {
  initial: { status: 'NONE' },
  evolve,
  decide,
};
