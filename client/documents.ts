import type {
  DocumentFile,
  DocumentPage,
  DocumentPageOptions,
  DocumentPolicy,
  DocumentSignature,
  DocumentType,
  FileOptions,
  NewDocument,
  PlatformDocument,
  RecognizedFile,
  SentFile,
  SigningRail,
  SigningStarted,
  SigningState,
} from './documentTypes.ts';
import { readEndResult } from './endResult.ts';
import type { Http, HttpRequest } from './http.ts';
import {
  isTrueIn,
  type Json,
  objectIn,
  objectsIn,
  oneOf,
  required,
  requiredNumber,
  textIn,
  textsIn,
} from './json.ts';
import { STAMP_TIMEOUT_MS } from './stamp.ts';
import type { CallOptions } from './types.ts';

/**
 * Documents of the caller's organization (contract §11); needs an access token with the scopes `documents.read`,
 * `documents.manage` and `documents.sign`, each for its calls. All reject with an {@link ApiError}: 404 for a document
 * the caller does not see, 409 when its state does not allow the call.
 */
export interface Documents {
  /** Lists documents, the newest first. */
  list(options?: DocumentPageOptions): Promise<DocumentPage>;
  /** Makes a document. */
  create(document: NewDocument, options?: CallOptions): Promise<PlatformDocument>;
  /** Reads one. */
  read(id: string, options?: CallOptions): Promise<PlatformDocument>;
  /** Attaches a file, or replaces it; after a signature it is frozen. */
  attach(id: string, file: SentFile, options?: FileOptions): Promise<DocumentFile>;
  /** Fetches the file, of a signed document its signed copy. */
  download(id: string, options?: FileOptions): Promise<Buffer>;
  /** Compares a file, which is not kept, with the signed ones of the document. */
  recognize(id: string, file: SentFile, options?: FileOptions): Promise<RecognizedFile>;
  /** Reads who signed, and what. */
  signatures(id: string, options?: CallOptions): Promise<readonly DocumentSignature[]>;
  /** Reads which ways to sign can be used. */
  signingRails(id: string, options?: CallOptions): Promise<readonly SigningRail[]>;
  /** Asks the next signer to sign, on the phone. @param regNo registration number or civil id */
  startSigning(id: string, regNo: string, options?: CallOptions): Promise<SigningStarted>;
  /** Asks whether the signer has signed. @param serverPollMs longest time it waits for that; default 30000 */
  pollSigning(
    id: string,
    sessionId: string,
    serverPollMs?: number,
    options?: CallOptions,
  ): Promise<SigningState>;
  /** Reads how documents of a type may be signed. */
  policy(docType: DocumentType, options?: CallOptions): Promise<DocumentPolicy>;
  /** Decides it. */
  setPolicy(
    docType: DocumentType,
    policy: DocumentPolicy,
    options?: CallOptions,
  ): Promise<DocumentPolicy>;
}

/** Time for the network on top of the long-poll timeout, ms. */
const HTTP_MARGIN_MS = 10_000;

export function createDocuments(http: Http): Documents {
  const document = '/documents/{id}';
  const ofType = '/documents/policies/{docType}';
  const read = (route: string, id: string, { signal }: CallOptions = {}) =>
    http.json({ method: 'GET', route, params: { id }, signal });
  const withFile = (id: string, file: SentFile, options: FileOptions = {}) =>
    ({
      method: 'POST',
      params: { id },
      body: formOf(file),
      timeoutMs: options.timeoutMs ?? STAMP_TIMEOUT_MS,
      signal: options.signal,
    }) satisfies Omit<HttpRequest, 'route'>;

  return {
    list: async ({ limit, offset, snapshot, signal } = {}) => {
      const query = { limit, offset, snapshot };
      const answer = await http.json({ method: 'GET', route: '/documents', query, signal });
      return {
        documents: objectsIn(answer, 'documents').map(readDocument),
        total: requiredNumber(answer, 'total'),
        snapshot: textIn(answer, 'snapshot'),
      };
    },
    create: async ({ title, docType, signers = [null] }, { signal } = {}) =>
      readDocument(
        await http.json({
          method: 'POST',
          route: '/documents',
          body: {
            title,
            doc_type: docType,
            signers: signers.map((regNo) => ({ reg_number: regNo })),
          },
          signal,
        }),
      ),
    read: async (id, options) => readDocument(await read(document, id, options)),
    attach: async (...sent) =>
      readFile(await http.json({ ...withFile(...sent), route: `${document}/file` })),
    download: (id, { timeoutMs = STAMP_TIMEOUT_MS, signal } = {}) =>
      http.bytes({ method: 'GET', route: `${document}/file`, params: { id }, timeoutMs, signal }),
    recognize: async (...sent) => {
      const route = `${document}/file/recognition`;
      const answer = await http.json({ ...withFile(...sent), route });
      return {
        result: oneOf(answer, 'result', ['signed', 'altered', 'other']),
        sha256: textIn(answer, 'sha256'),
        added: textsIn(answer, 'added'),
      };
    },
    signatures: async (id, options) => {
      const answer = await read(`${document}/signatures`, id, options);
      return objectsIn(answer, 'signatures').map(readSignature);
    },
    signingRails: async (id, options) => {
      const answer = await read(`${document}/signing-rails`, id, options);
      return objectsIn(answer, 'rails').map((rail) => ({
        method: oneOf(rail, 'method', ['EID', 'DAN']),
        available: isTrueIn(rail, 'available'),
        reason: textIn(rail, 'reason'),
      }));
    },
    startSigning: async (id, regNo, { signal } = {}) => {
      const answer = await http.json({
        method: 'POST',
        route: `${document}/sign/eid/start`,
        params: { id },
        body: { reg_number: regNo },
        signal,
      });
      return {
        sessionId: required(answer, 'session_id'),
        verificationCode: required(answer, 'verification_code'),
        displayText: required(answer, 'display_text'),
      };
    },
    pollSigning: async (id, sessionId, serverPollMs = 30_000, { signal } = {}) => {
      const answer = await http.json({
        method: 'POST',
        route: `${document}/sign/eid/poll`,
        params: { id },
        body: { session_id: sessionId, timeout_ms: serverPollMs },
        timeoutMs: serverPollMs + HTTP_MARGIN_MS,
        signal,
      });
      const changed = objectIn(answer, 'document');
      return {
        state: oneOf(answer, 'state', ['RUNNING', 'COMPLETE']),
        endResult: readEndResult(textIn(answer, 'end_result')),
        document: changed === null ? null : readDocument(changed),
      };
    },
    policy: async (docType, { signal } = {}) =>
      readPolicy(await http.json({ method: 'GET', route: ofType, params: { docType }, signal })),
    setPolicy: async (docType, { allowEid, allowDan, requireNamedSigner }, { signal } = {}) =>
      readPolicy(
        await http.json({
          method: 'PUT',
          route: ofType,
          params: { docType },
          body: {
            allow_eid: allowEid,
            allow_dan: allowDan,
            require_named_signer: requireNamedSigner,
          },
          signal,
        }),
      ),
  };
}

/** Multipart form with the file; the service decides its type by the bytes. */
function formOf({ bytes, fileName }: SentFile): FormData {
  const form = new FormData();
  form.set('file', new Blob([Uint8Array.from(bytes)]), fileName);
  return form;
}

function readDocument(answer: Json): PlatformDocument {
  const file = objectIn(answer, 'file');
  return {
    id: required(answer, 'id'),
    title: required(answer, 'title'),
    docType: oneOf(answer, 'doc_type', ['CONTRACT', 'REQUEST', 'APPROVAL']),
    status: oneOf(answer, 'status', ['DRAFT', 'PENDING_APPROVAL', 'APPROVED', 'REJECTED']),
    format: oneOf(answer, 'format', ['pades', 'detached', 'approval']),
    file: file === null ? null : readFile(file),
    signers: objectsIn(answer, 'signers').map((signer) => ({
      order: requiredNumber(signer, 'order'),
      regNo: textIn(signer, 'reg_number'),
      isNamed: isTrueIn(signer, 'is_named'),
      signedAt: textIn(signer, 'signed_at'),
    })),
    coveredDigest: textIn(answer, 'covered_digest'),
    createdAt: required(answer, 'created_at'),
    updatedAt: required(answer, 'updated_at'),
  };
}

function readFile(answer: Json): DocumentFile {
  return {
    fileName: required(answer, 'file_name'),
    contentType: required(answer, 'content_type'),
    sizeBytes: requiredNumber(answer, 'size_bytes'),
    sha256: required(answer, 'sha256'),
    warnings: Array.isArray(answer['warnings']) ? textsIn(answer, 'warnings') : null,
  };
}

function readSignature(answer: Json): DocumentSignature {
  return {
    order: requiredNumber(answer, 'order'),
    signerName: textIn(answer, 'signer_name'),
    regNo: textIn(answer, 'reg_number'),
    coveredDigest: required(answer, 'covered_digest'),
    signature: required(answer, 'signature'),
    signatureAlgorithm: required(answer, 'signature_algorithm'),
    certificateSerial: required(answer, 'certificate_serial'),
    sessionId: required(answer, 'session_id'),
    signedAt: required(answer, 'signed_at'),
    evidence: textIn(answer, 'evidence'),
  };
}

function readPolicy(answer: Json): DocumentPolicy {
  return {
    allowEid: isTrueIn(answer, 'allow_eid'),
    allowDan: isTrueIn(answer, 'allow_dan'),
    requireNamedSigner: isTrueIn(answer, 'require_named_signer'),
  };
}
