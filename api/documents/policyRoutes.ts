import { z } from 'zod';
import { policiesOf } from '../../application/document/documents.ts';
import type { PlatformUser } from '../../application/ports/platformTokens.ts';
import { policyFor } from '../../domain/documentPolicy/documentPolicy.ts';
import { type DocumentType, documentTypes } from '../../domain/shared/documentTypes.ts';
import { type RequestContext, type Route, route } from '../http/route.ts';
import { byCaller, organizationWith, type DocumentApi } from './api.ts';
import { policySchema, policyView, typedPolicySchema } from './views.ts';

const ofType = z.object({ docType: z.string().toUpperCase().pipe(z.enum(documentTypes)) });
const all = z.strictObject({ policies: z.array(typedPolicySchema) });

/** Signing policy of the caller's organization (contract §11). */
export function documentPolicyRoutes(api: DocumentApi): readonly Route[] {
  const { policies, clock } = api;
  const reads = {
    method: 'GET',
    guard: organizationWith(api, 'documents.read'),
    listedUnder: api.baseUrl,
  } as const;
  const changes = {
    method: 'PUT',
    guard: organizationWith(api, 'documents.manage'),
    listedUnder: api.baseUrl,
    body: policySchema,
  } as const;

  async function change(
    { principal, context }: { readonly principal: PlatformUser; readonly context: RequestContext },
    docTypes: readonly DocumentType[],
    body: z.output<typeof policySchema>,
  ) {
    const { tenantId } = principal;
    const { state } = await policies.handle(
      policiesOf(tenantId),
      {
        type: 'ChangePolicies',
        tenantId,
        docTypes,
        now: clock.now().toISOString(),
        terms: {
          allowEid: body.allow_eid,
          allowDan: body.allow_dan,
          requireNamedSigner: body.require_named_signer,
        },
      },
      byCaller(context, principal, context.requestId),
    );
    return state;
  }

  async function read({ tenantId }: PlatformUser) {
    return (await policies.load(policiesOf(tenantId))).state;
  }

  const allOf = (state: Awaited<ReturnType<typeof read>>) => ({
    policies: documentTypes.map((docType) => ({
      doc_type: docType,
      ...policyView(policyFor(state, docType)),
    })),
  });

  return [
    route({
      ...reads,
      name: 'documents.policies.list',
      summary: 'List how documents of each type may be signed',
      path: '/documents/policies',
      response: { 200: all },
      handle: async ({ principal }) => ({ body: allOf(await read(principal)) }),
    }),
    route({
      ...changes,
      name: 'documents.policies.change',
      summary: 'Set how documents of all types may be signed',
      path: '/documents/policies',
      response: { 200: all },
      handle: async ({ body, ...by }) => ({ body: allOf(await change(by, documentTypes, body)) }),
    }),
    route({
      ...reads,
      name: 'documents.policies.read',
      summary: 'Get how documents of one type may be signed',
      path: '/documents/policies/:docType',
      params: ofType,
      response: { 200: policySchema },
      handle: async ({ principal, params: { docType } }) => ({
        body: policyView(policyFor(await read(principal), docType)),
      }),
    }),
    route({
      ...changes,
      name: 'documents.policies.changeOne',
      summary: 'Set how documents of one type may be signed',
      path: '/documents/policies/:docType',
      params: ofType,
      response: { 200: policySchema },
      handle: async ({ params: { docType }, body, ...by }) => ({
        body: policyView(policyFor(await change(by, [docType], body), docType)),
      }),
    }),
  ];
}
