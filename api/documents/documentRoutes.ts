import { z } from 'zod';
import { createDocument } from '../../application/document/createDocument.ts';
import { reaches, readDocument } from '../../application/document/documents.ts';
import { railStates, termsFor } from '../../application/document/rails.ts';
import type { PlatformUser } from '../../application/ports/platformTokens.ts';
import type { DocumentRecord } from '../../domain/document/document.ts';
import { documentTypes } from '../../domain/shared/documentTypes.ts';
import { pageQuery } from '../admin/paging.ts';
import { listSnapshot, snapshotText } from '../schemas/listSnapshots.ts';
import { count } from '../schemas/answers.ts';
import { type Route, route } from '../http/route.ts';
import { visibleText } from '../../domain/shared/requestFields.ts';
import { addressed, byCaller, callerKey, callerWith, extentOf, type DocumentApi } from './api.ts';
import {
  citizenReader,
  documentSchema,
  documentView,
  railsSchema,
  railsView,
  signaturesSchema,
  signaturesView,
} from './views.ts';

export const documentParams = z.object({ id: z.string() });

const named = z.strictObject({ reg_number: z.string().max(40).nullable() });

const creation = z.strictObject({
  title: visibleText(200),
  doc_type: z.enum(documentTypes),
  signers: z
    .array(named)
    .min(1)
    .max(20)
    .default([{ reg_number: null }])
    .meta({ description: 'In the order of signing; null if anyone may sign' }),
});

const listed = z.strictObject({
  documents: z.array(documentSchema),
  limit: count,
  offset: count,
  total: count,
  snapshot: listSnapshot,
});

/** Documents of the caller's organization (specification, Other platform endpoints; contract §11). */
export function documentRoutes(api: DocumentApi): readonly Route[] {
  const { documents } = api;
  const reads = {
    method: 'GET',
    guard: callerWith(api, 'documents.read'),
    discloses: true,
    listedUnder: api.baseUrl,
  } as const;
  const citizens = citizenReader(api.referenceData);
  const shown = (document: DocumentRecord, user: PlatformUser) =>
    documentView(document, citizens, extentOf(user).citizen);

  return [
    route({
      ...reads,
      name: 'documents.list',
      summary: "List the organization's documents, newest first",
      path: '/documents',
      query: z.object(pageQuery),
      response: { 200: listed },
      handle: async ({ principal, query }) => {
        const extent = extentOf(principal);
        const filter = { ...extent, status: null, query: '', ...query };
        const { keys, total, snapshot } = await api.pages.documentPage(filter);
        const records = await Promise.all(keys.map((id) => documents.load(id)));
        const views = await Promise.all(
          records.flatMap(({ state }) =>
            state.status === 'NONE' || !reaches(extent, state) ? [] : shown(state, principal),
          ),
        );
        const { limit, offset } = query;
        return {
          body: { documents: views, limit, offset, total, snapshot: snapshotText(snapshot) },
        };
      },
    }),
    route({
      name: 'documents.create',
      summary: 'Create a document; its contents determine how it is signed',
      method: 'POST',
      path: '/documents',
      listedUnder: api.baseUrl,
      guard: callerWith(api, 'documents.manage'),
      body: creation,
      response: { 201: documentSchema },
      handle: async ({ principal, body, context }) => {
        const documentId = api.randomness.uuid();
        const wish = {
          documentId,
          tenantId: principal.tenantId,
          maker: extentOf(principal).citizen,
          clientId: principal.clientId,
          title: body.title,
          docType: body.doc_type,
          signers: body.signers.map((each) => each.reg_number),
        };
        const created = await api.quota.spend(callerKey(principal), 0, () =>
          createDocument(api, wish, byCaller(context, principal, documentId)),
        );
        return { status: 201, body: await shown(created, principal) };
      },
    }),
    route({
      ...reads,
      name: 'documents.read',
      summary: 'Get a document',
      path: '/documents/:id',
      params: documentParams,
      response: { 200: documentSchema },
      handle: async ({ principal, params }) => {
        const document = await readDocument(documents, addressed(params, principal));
        return { body: await shown(document, principal) };
      },
    }),
    route({
      ...reads,
      name: 'documents.signatures',
      summary:
        'Get the signers of a document, what the signatures cover and how consent was proven',
      path: '/documents/:id/signatures',
      params: documentParams,
      response: { 200: signaturesSchema },
      handle: async ({ principal, params }) => {
        const document = await readDocument(documents, addressed(params, principal));
        return { body: await signaturesView(document, citizens) };
      },
    }),
    route({
      ...reads,
      name: 'documents.signingRails',
      summary: 'List the signing channels, and the obstacles to those that are not usable',
      path: '/documents/:id/signing-rails',
      params: documentParams,
      response: { 200: railsSchema },
      handle: async ({ principal, params }) => {
        const { created } = await readDocument(documents, addressed(params, principal));
        const terms = await termsFor(api.policies, created);
        const states = await railStates(terms, api.configured);
        return { body: railsView(states) };
      },
    }),
  ];
}
