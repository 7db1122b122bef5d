import { z } from 'zod';
import type { Quota } from '../../application/quota.ts';
import type { SealPdf } from '../../application/seal/sealPdf.ts';
import { type Route, route, rpApi } from '../http/route.ts';
import { relyingPartyGuard } from '../rp/guard.ts';
import { attachment, givenName, warningHeader } from '../rp/stampRoutes.ts';
import { byRelyingParty, limitedBy, organizationParams, type SealApi } from './routes.ts';

export interface SealPdfApi extends Pick<
  SealApi,
  'referenceData' | 'expectSealsFor' | 'rateLimit' | 'requestsPerMinute'
> {
  readonly sealPdf: SealPdf;
  readonly maxPdfBytes: number;
  /** PDFs and bytes of one relying party. */
  readonly pdfQuota: Quota;
}

/** Seals a PDF; the body is its raw bytes. */
export function sealPdfRoute(api: SealPdfApi): Route {
  const admit = limitedBy(api);
  return route({
    name: 'sealPdf',
    summary: 'Seals a PDF for an organization: validation page, PAdES signature with timestamp',
    method: 'POST',
    path: '/v3/seal/:orgEtsi/pdf',
    listedUnder: rpApi,
    underLoad: 'refuseFirst',
    guard: relyingPartyGuard(api.referenceData, 'SEAL'),
    maxBodyBytes: api.maxPdfBytes,
    guardBeforeBody: true,
    params: organizationParams,
    query: z.object({ fileName: givenName }),
    bodyType: 'application/pdf',
    response: { 200: 'application/pdf' },
    handle: async ({ principal, params: { orgEtsi: register }, query, context }) => {
      await admit(principal);
      await api.expectSealsFor(principal, register);
      const { relyingPartyId, name } = principal;
      const { fileName } = query;
      const document = context.rawBody;
      const wish = { register, relyingPartyId, relyingPartyName: name, fileName, document };
      const { pdf, warnings } = await api.pdfQuota.spend(relyingPartyId, document.length, () =>
        api.sealPdf(wish, byRelyingParty(context, principal, register)),
      );
      return {
        body: pdf,
        contentType: 'application/pdf',
        headers: {
          'cache-control': 'no-store',
          'content-disposition': attachment(fileName ?? `${register}.pdf`, 'sealed.pdf'),
          ...warningHeader(warnings),
        },
      };
    },
  });
}
