import { attachment, commandContext, warningHeader } from '../http/handling.ts';
import { z } from 'zod';
import type { RelyingPartyReferenceData } from '../../application/ports/referenceData.ts';
import type { Quota } from '../../application/attempts.ts';
import type { PrepareDocument, PrepareRequest } from '../../application/stamp/prepareDocument.ts';
import type { StampDocument } from '../../application/stamp/stampDocument.ts';
import { certificateLevels } from '../../domain/shared/certificateLevel.ts';
import { hashTypes } from '../../domain/shared/digest.ts';
import { documentWarnings } from '../../domain/shared/documentWarnings.ts';
import { parsePersonIdentifier } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { moment } from '../schemas/answers.ts';
import type { RateLimit } from '../bounds/admission.ts';
import { type Route, route, rpApi } from '../http/route.ts';
import { fileName } from './generations/common.ts';
import { relyingPartyGuard } from './guard.ts';

export interface StampApi {
  readonly referenceData: RelyingPartyReferenceData;
  readonly stampDocument: StampDocument;
  readonly prepareDocument: PrepareDocument;
  readonly rateLimit: RateLimit;
  /** PDFs and bytes of one relying party. */
  readonly pdfQuota: Quota;
  /** Default rate limit of documents, per minute and relying party. */
  readonly requestsPerMinute: number;
  readonly maxPdfBytes: number;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const uuid = z.string().toLowerCase().regex(UUID, 'Must be a UUID.');
/** File name; an empty `?fileName=` equals an absent one. */
export const givenName = fileName.transform((name) => (name === '' ? null : name));

const prepareQuery = z
  .object({
    signer: z.string().optional(),
    documentNumber: uuid.optional(),
    fileName: givenName,
    hashType: z.enum(hashTypes).default('SHA256'),
    certificateLevel: z.enum(certificateLevels).default('QUALIFIED'),
  })
  .refine(
    ({ signer, documentNumber }) => (signer === undefined) !== (documentNumber === undefined),
    {
      path: ['signer'],
      message: 'Name the signer by exactly one of signer and documentNumber.',
    },
  );

const documentWarningList = z.array(z.enum(documentWarnings)).meta({
  description: 'What the PDF can do besides showing its pages; the signer is told as well',
});

const preparedAnswer = z
  .object({
    preparedId: z.uuid(),
    digest: z.string().meta({ description: 'The digest to sign, base64' }),
    hashType: z.enum(hashTypes),
    documentNumber: z.uuid(),
    certificateSerial: z.string(),
    warnings: documentWarningList,
    expiresAt: moment,
  })
  .meta({ id: 'PreparedDocument' });

/**
 * Stamped PDFs (contract §7) and documents prepared for the citizen's own signature. Bodies are raw
 * PDF bytes.
 */
export function stampRoutes(api: StampApi): readonly Route[] {
  const { referenceData, stampDocument, prepareDocument, rateLimit, requestsPerMinute } = api;
  const { pdfQuota } = api;
  const common = {
    method: 'POST',
    listedUnder: rpApi,
    underLoad: 'refuseFirst',
    guard: relyingPartyGuard(referenceData, 'SIGN'),
    maxBodyBytes: api.maxPdfBytes,
    guardBeforeBody: true,
    // Any announced type is accepted: the bytes decide.
    bodyType: 'application/pdf',
  } as const;
  return [
    route({
      ...common,
      name: 'signatureStamp',
      summary:
        'Stamp a signed PDF: validation page, validation material, PAdES signature with time-stamp',
      path: '/v3/signature/stamp/:sessionId',
      params: z.object({ sessionId: z.string().toLowerCase() }),
      query: z.object({ fileName: givenName, preparedId: uuid.nullish() }),
      response: { 200: 'application/pdf' },
      handle: async ({ principal, params: { sessionId }, query, context }) => {
        const { relyingPartyId } = principal;
        if (!UUID.test(sessionId)) throw new Refusal('SESSION_NOT_FOUND');
        await rateLimit.consume(relyingPartyId, principal.requestsPerMinute ?? requestsPerMinute);
        const wish = {
          sessionId,
          relyingPartyId,
          fileName: query.fileName,
          document: context.rawBody,
          preparedId: query.preparedId ?? null,
        };
        const actor = { kind: 'relyingParty', id: relyingPartyId } as const;
        const stamped = await pdfQuota.spend(relyingPartyId, context.rawBody.length, () =>
          stampDocument(wish, commandContext(context, actor, sessionId)),
        );
        return {
          body: stamped.pdf,
          contentType: 'application/pdf',
          headers: {
            'cache-control': 'no-store',
            'content-disposition': attachment(stamped.fileName ?? `${sessionId}.pdf`),
            ...warningHeader(stamped.warnings),
          },
        };
      },
    }),
    route({
      ...common,
      name: 'signaturePrepare',
      summary: "Prepare a PDF for the citizen's own signature",
      path: '/v3/signature/prepare',
      query: prepareQuery,
      response: { 200: preparedAnswer },
      isQuestion: true,
      discloses: true,
      handle: async ({ principal, query, context }) => {
        const { relyingPartyId, name } = principal;
        const { signer, documentNumber, hashType } = query;
        await rateLimit.consume(relyingPartyId, principal.requestsPerMinute ?? requestsPerMinute);
        const wish = {
          relyingPartyId,
          relyingPartyName: name,
          hash: hashType,
          document: context.rawBody,
          fileName: query.fileName,
          certificateLevel: query.certificateLevel,
          signer:
            documentNumber === undefined
              ? { type: 'person', identifier: parsePersonIdentifier(signer ?? '') }
              : { type: 'document', documentNumber },
        } satisfies PrepareRequest;
        const prepared = await pdfQuota.spend(relyingPartyId, context.rawBody.length, () =>
          prepareDocument(wish),
        );
        const { preparedId, digest, certificateSerial, warnings, expiresAt } = prepared;
        return {
          about: prepared.documentNumber,
          body: {
            preparedId,
            digest: digest.toString('base64'),
            hashType: prepared.hash,
            documentNumber: prepared.documentNumber,
            certificateSerial,
            warnings,
            expiresAt,
          },
        };
      },
    }),
  ];
}
