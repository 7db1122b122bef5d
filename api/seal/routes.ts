import { z } from 'zod';
import type {
  RelyingPartyData,
  RelyingPartyReferenceData,
} from '../../application/ports/referenceData.ts';
import type { SealDigest, SealPdf } from '../../application/seal/seal.ts';
import type { RequestSealCertificate } from '../../application/seal/sealConfirmation.ts';
import type { ExpectSealsFor, SealIdentity } from '../../application/seal/sealPreconditions.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import { digestLength, type HashType, hashTypes } from '../../domain/shared/digest.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { certificateAnswer, certificateLevel, moment } from '../schemas/answers.ts';
import { attachment, commandContext, warningHeader } from '../http/handling.ts';
import type { RateLimit } from '../bounds/admission.ts';
import { type Reply, type RequestContext, type Route, route, rpApi } from '../http/route.ts';
import { base64, byteLength } from '../rp/generations/common.ts';
import { relyingPartyGuard } from '../rp/guard.ts';
import { confirmationBody, confirmationFields } from '../rp/organizationAnswers.ts';
import type { Quota } from '../../application/attempts.ts';
import { givenName } from '../rp/stampRoutes.ts';

export interface SealApi {
  readonly referenceData: RelyingPartyReferenceData;
  readonly sealDigest: SealDigest;
  /** Seal key and certificate of an organization. @throws Refusal */
  readonly certificateOf: (register: string) => Promise<SealIdentity>;
  readonly expectSealsFor: ExpectSealsFor;
  readonly requestCertificate: RequestSealCertificate;
  /** Subject of a certificate, RFC 4514. @param certificate DER */
  readonly subjectOf: (certificate: Buffer) => string;
  readonly rateLimit: RateLimit;
  /** Default rate limit, per minute and relying party. */
  readonly requestsPerMinute: number;
}

/** Path parameters of an organization; anything else is not found. */
export const organizationParams = z.object({
  orgEtsi: z.string().transform((text) => {
    const register = readRegister(text);
    if (register === null) throw new Refusal('ORG_NOT_FOUND');
    return register;
  }),
});

const hashOfLength = new Map<number, HashType>(hashTypes.map((type) => [digestLength[type], type]));

const digestBody = z.object({
  digest: base64
    .refine(
      (text) => hashOfLength.has(byteLength(text)),
      'Must be base64 of 32, 48 or 64 bytes: a SHA-256, SHA-384 or SHA-512 digest.',
    )
    .transform((text) => Buffer.from(text, 'base64')),
});

const sealCertificateAnswer = z
  .object({
    serialNumber: z.string(),
    subjectDn: z.string(),
    notBefore: moment,
    notAfter: moment,
    certificateLevel,
    cert: certificateAnswer,
  })
  .meta({ id: 'SealCertificate' });

const certificateBody = z
  .object({
    sessionId: z
      .uuid()
      .optional()
      .meta({ description: 'The session in which the ADMIN confirmed, from the 202 response' }),
  })
  .nullish();

const confirmationAnswer = z.object(confirmationFields).meta({ id: 'SealCertificateConfirmation' });

const sealAnswer = z
  .object({
    signature: z.object({ value: z.string(), signatureAlgorithm: z.string() }),
    cert: certificateAnswer,
    sealedAt: moment,
  })
  .meta({ id: 'Seal' });

/** Seals of organizations (specification, Seal; contract §10): synchronous, without a citizen. */
export function sealRoutes(api: SealApi): readonly Route[] {
  const { sealDigest, certificateOf, expectSealsFor, requestCertificate, subjectOf } = api;
  const admit = limitedBy(api);
  const common = {
    guard: relyingPartyGuard(api.referenceData, 'SEAL'),
    params: organizationParams,
  } as const;

  function certificateReply(identity: SealIdentity): Reply {
    const { serial, notBefore, notAfter, level, certificate } = identity;
    return {
      body: {
        serialNumber: serial,
        subjectDn: subjectOf(Buffer.from(certificate, 'base64')),
        notBefore,
        notAfter,
        certificateLevel: level,
        cert: { value: certificate, certificateLevel: level },
      },
    };
  }

  return [
    route({
      ...common,
      name: 'sealCertificate',
      summary: 'Get the certificate that an organization seals with',
      method: 'GET',
      path: '/v3/seal/certificate/:orgEtsi',
      listedUnder: rpApi,
      response: { 200: sealCertificateAnswer },
      handle: async ({ params }) => certificateReply(await certificateOf(params.orgEtsi)),
    }),
    route({
      ...common,
      name: 'sealCertificateIssue',
      summary:
        "Create an organization's seal key and issue its certificate, once an ADMIN confirms",
      method: 'POST',
      path: '/v3/seal/certificate/:orgEtsi',
      listedUnder: rpApi,
      underLoad: 'refuseFirst',
      body: certificateBody,
      response: { 200: sealCertificateAnswer, 202: confirmationAnswer },
      handle: async ({ principal, params: { orgEtsi: register }, body, context }) => {
        await admit(principal);
        await expectSealsFor(principal, register);
        const { sessionId = null } = body ?? {};
        const reply = await requestCertificate(
          { relyingParty: principal, register, sessionId },
          (correlationId) => byRelyingParty(context, principal, correlationId),
        );
        if (reply.kind === 'ISSUED') return certificateReply(reply.identity);
        return { status: 202, body: confirmationBody(reply.session) };
      },
    }),
    route({
      ...common,
      name: 'seal',
      summary: 'Seal a digest for an organization',
      method: 'POST',
      path: '/v3/seal/:orgEtsi',
      listedUnder: rpApi,
      underLoad: 'refuseFirst',
      body: digestBody,
      response: { 200: sealAnswer },
      handle: async ({ principal, params: { orgEtsi: register }, body: { digest }, context }) => {
        await admit(principal);
        await expectSealsFor(principal, register);
        const { relyingPartyId } = principal;
        const hashType = hashOfLength.get(digest.length) ?? 'SHA256';
        const { signature, certificate, level, sealedAt } = await sealDigest(
          { register, relyingPartyId, digest, hashType },
          byRelyingParty(context, principal, register),
        );
        return {
          body: {
            signature: { value: signature, signatureAlgorithm: `ecdsa-with-${hashType}` },
            cert: { value: certificate, certificateLevel: level },
            sealedAt: sealedAt.toISOString(),
          },
        };
      },
    }),
  ];
}

/** Rate-limits a relying party. */
function limitedBy({
  rateLimit,
  requestsPerMinute,
}: Pick<SealApi, 'rateLimit' | 'requestsPerMinute'>): (party: RelyingPartyData) => Promise<void> {
  return async (party) => {
    await rateLimit.consume(party.relyingPartyId, party.requestsPerMinute ?? requestsPerMinute);
  };
}

/** Command context of a relying party. */
function byRelyingParty(
  context: RequestContext,
  { relyingPartyId }: RelyingPartyData,
  correlationId: string,
): CommandContext {
  return commandContext(context, { kind: 'relyingParty', id: relyingPartyId }, correlationId);
}

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
    summary: 'Seal a PDF for an organization: validation page, PAdES signature with time-stamp',
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
