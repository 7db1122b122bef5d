import { type OutgoingFile } from '../../application/document/documentFiles.ts';
import { recogniseFile } from '../../application/document/recogniseFile.ts';
import { readDocument } from '../../application/document/documents.ts';
import { type Route, route } from '../http/route.ts';
import { attachment } from '../http/handling.ts';
import { addressed, byCaller, callerWith, type DocumentApi } from './api.ts';
import { documentParams } from './documentRoutes.ts';
import { readFilePart } from './multipartFile.ts';
import { fileSchema, fileView, recognitionSchema, recognitionView } from './views.ts';

/** Upload (multipart form) and download of documents (contract §11). */
export function documentFileRoutes(api: DocumentApi): readonly Route[] {
  const { documents, files } = api;
  return [
    route({
      name: 'documents.file.upload',
      summary: 'Attach a file; its bytes determine the type, and signing freezes it',
      method: 'POST',
      path: '/documents/:id/file',
      listedUnder: api.baseUrl,
      underLoad: 'refuseFirst',
      guard: callerWith(api, 'documents.manage'),
      params: documentParams,
      bodyType: 'multipart/form-data',
      streamsBody: true,
      response: { 200: fileSchema },
      handle: async ({ principal, params, context }) => {
        // Citizens named in a document read it; its file is its maker's to change.
        const address = { ...addressed(params, principal), citizen: null };
        const attached = await files.attach(
          address,
          (take) => readFilePart(context, api.maxFileBytes, take),
          byCaller(context, principal, address.documentId),
        );
        return { body: fileView(attached) };
      },
    }),
    route({
      name: 'documents.file.recognise',
      summary:
        'Check whether a file is a complete signed file of the document; the file is not kept',
      method: 'POST',
      path: '/documents/:id/file/recognition',
      listedUnder: api.baseUrl,
      underLoad: 'refuseFirst',
      guard: callerWith(api, 'documents.read'),
      params: documentParams,
      bodyType: 'multipart/form-data',
      streamsBody: true,
      isQuestion: true,
      response: { 200: recognitionSchema },
      handle: async ({ principal, params, context }) => {
        const document = await readDocument(documents, addressed(params, principal));
        const found = await readFilePart(context, api.maxFileBytes, (file) =>
          recogniseFile(api, document, file),
        );
        return { body: recognitionView(found) };
      },
    }),
    route({
      name: 'documents.file.download',
      summary: 'Get the file or its signed copy, once its digest was verified',
      method: 'GET',
      path: '/documents/:id/file',
      listedUnder: api.baseUrl,
      guard: callerWith(api, 'documents.read'),
      streamsAtOnce: 64,
      discloses: true,
      params: documentParams,
      response: { 200: '*/*' },
      handle: async ({ principal, params }) => {
        const document = await readDocument(documents, addressed(params, principal));
        const file = await files.open(document);
        return {
          stream: discarding(file),
          contentType: file.contentType,
          headers: {
            'cache-control': 'no-store',
            'x-content-type-options': 'nosniff',
            'content-disposition': attachment(file.fileName, 'document'),
            'content-length': String(file.content.sizeBytes),
          },
        };
      },
    }),
  ];
}

/**
 * An iterable, not a generator: a generator released before its first step would not run its
 * `finally`.
 */
function discarding({ content }: OutgoingFile): AsyncIterableIterator<Uint8Array> {
  const pieces = content.read()[Symbol.asyncIterator]();
  const over = async (): Promise<IteratorResult<Uint8Array>> => {
    await content.discard();
    return { done: true, value: undefined };
  };
  return {
    next: async () => {
      // A failed read also releases the file.
      const piece = await pieces.next().catch(async (error: unknown) => {
        await content.discard();
        throw error;
      });
      return piece.done === true ? over() : piece;
    },
    return: over,
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}
