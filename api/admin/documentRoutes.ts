import { z } from 'zod';
import { documentSorts } from '../../projections/documents.ts';
import {
  type DocumentPolicyStore,
  type Documents,
  readDocument,
} from '../../application/document/documents.ts';
import { type ConfiguredRails, railStates, termsFor } from '../../application/document/rails.ts';
import type { DocumentPages } from '../../application/reactors/ports/documentViews.ts';
import type { CitizenReferenceData } from '../../application/ports/referenceData.ts';
import { documentNotFound, documentStatuses } from '../../domain/document/document.ts';
import { readPersonIdentifier } from '../../domain/shared/etsi.ts';
import {
  citizenReader,
  documentSchema,
  documentView,
  railsSchema,
  railsView,
  signaturesSchema,
  signaturesView,
} from '../documents/views.ts';
import { type Route, route } from '../http/route.ts';
import type { OperatorGuards } from './guard.ts';
import { longListOf, pageQuery, snapshotAnswer, sortQuery } from './paging.ts';
import { searchText } from './search.ts';

export interface DocumentAdminApi {
  readonly guards: OperatorGuards;
  readonly documents: Documents;
  readonly pages: DocumentPages;
  readonly referenceData: CitizenReferenceData;
  readonly policies: DocumentPolicyStore;
  readonly configured: ConfiguredRails;
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Documents of all organizations: metadata and signers, never the files. */
export function documentAdminRoutes(api: DocumentAdminApi): readonly Route[] {
  const { guards, documents, pages, referenceData, policies, configured } = api;
  const reads = {
    method: 'GET',
    guard: guards.withCapability('session:read'),
  } as const;
  const citizens = citizenReader(referenceData);

  /** Search key of a person: the civil id, whichever identifier was entered. */
  async function keyOf(query: string): Promise<string> {
    const identifier = readPersonIdentifier(query);
    const citizen = identifier === null ? null : await referenceData.citizen(identifier);
    return citizen?.civilId ?? query;
  }

  return [
    route({
      ...reads,
      name: 'admin.documents.list',
      summary: 'List documents, newest first; search by a complete identifier',
      path: '/v3/admin/documents',
      query: z.object({
        ...pageQuery,
        ...sortQuery(documentSorts),
        q: searchText,
        status: z.enum(documentStatuses).optional(),
      }),
      response: { 200: longListOf(documentSchema) },
      handle: async ({ query: { q, status = null, ...part } }) => {
        const query = await keyOf(q ?? '');
        const page = await pages.documentPage({
          tenantId: null,
          citizen: null,
          status,
          query,
          ...part,
        });
        const records = await Promise.all(
          page.keys.map((documentId) => readDocument(documents, { documentId, tenantId: null })),
        );
        const items = await Promise.all(records.map((each) => documentView(each, citizens)));
        return snapshotAnswer({ ...page, items }, part);
      },
    }),
    route({
      ...reads,
      name: 'admin.documents.read',
      summary: 'Get a document, the ways to sign it, and its signatures',
      path: '/v3/admin/documents/:id',
      params: z.object({ id: z.string() }),
      response: { 200: documentSchema.extend({ ...railsSchema.shape, ...signaturesSchema.shape }) },
      handle: async ({ params: { id } }) => {
        const documentId = id.toLowerCase();
        if (!UUID.test(documentId)) throw documentNotFound();
        const document = await readDocument(documents, { documentId, tenantId: null });
        const [view, signatures, terms] = await Promise.all([
          documentView(document, citizens),
          signaturesView(document, citizens),
          termsFor(policies, document.created),
        ]);
        const rails = railsView(await railStates(terms, configured));
        return { body: { ...view, ...rails, ...signatures } };
      },
    }),
  ];
}
