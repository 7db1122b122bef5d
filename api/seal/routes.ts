import { z } from 'zod';
import type { RelyingPartyFact, RelyingPartyFacts } from '../../application/ports/facts.ts';
import type { SealDigest } from '../../application/seal/sealDigest.ts';
import type { SealIdentity } from '../../application/seal/sealStanding.ts';
import type { CommandContext } from '../../application/handleCommand.ts';
import { digestLength, type HashType, hashTypes } from '../../domain/shared/digest.ts';
import { readRegister } from '../../domain/shared/etsi.ts';
import { Refusal } from '../../domain/shared/refusal.ts';
import { certificateAnswer, certificateLevel, moment } from '../http/answers.ts';
import { commandContext } from '../http/guards.ts';
import type { RateLimit } from '../http/rateLimit.ts';
import { type Reply, type RequestContext, type Route, route } from '../http/route.ts';
import { base64, byteLength } from '../rp/generations/common.ts';
import { relyingPartyGuard } from '../rp/guard.ts';

export interface SealApi {
  readonly facts: RelyingPartyFacts;
  readonly sealDigest: SealDigest;
  /** What the organization seals with. @throws Refusal */
  readonly certificateOf: (register: string) => Promise<SealIdentity>;
  readonly issueCertificate: (register: string, context: CommandContext) => Promise<SealIdentity>;
  /** RFC 4514. @param certificate DER */
  readonly subjectOf: (certificate: Buffer) => string;
  readonly rateLimit: RateLimit;
  /** Requests a minute of relying parties whose registration does not say. */
  readonly requestsPerMinute: number;
}

const noQuery = z.object({});

/** What is no organization's identifier names none. */
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

const sealAnswer = z
  .object({
    signature: z.object({ value: z.string(), signatureAlgorithm: z.string() }),
    cert: certificateAnswer,
    sealedAt: moment,
  })
  .meta({ id: 'Seal' });

/** Seals of organizations (specification, Seal; contract §10): synchronous, nobody is asked. */
export function sealRoutes(api: SealApi): readonly Route[] {
  const { sealDigest, certificateOf, issueCertificate, subjectOf } = api;
  const admit = limitedBy(api);
  const common = {
    guard: relyingPartyGuard(api.facts, 'SEAL'),
    params: organizationParams,
    query: noQuery,
  } as const;

  function certificateReply(identity: SealIdentity): Reply {
    const { serial, notBefore, notAfter, level, certificate } = identity;
    return {
      body: {
        serialNumber: serial,
        subjectDn: subjectOf(Buffer.from(certificate, 'base64')),
        ...{ notBefore, notAfter, certificateLevel: level },
        cert: { value: certificate, certificateLevel: level },
      },
    };
  }

  return [
    route({
      ...common,
      name: 'sealCertificate',
      summary: 'The certificate an organization seals with',
      method: 'GET',
      path: '/v3/seal/certificate/:orgEtsi',
      body: null,
      response: { 200: sealCertificateAnswer },
      handle: async ({ params }) => certificateReply(await certificateOf(params.orgEtsi)),
    }),
    route({
      ...common,
      name: 'sealCertificateIssue',
      summary: "Makes an organization's seal key and issues its certificate",
      method: 'POST',
      path: '/v3/seal/certificate/:orgEtsi',
      underLoad: 'refuseFirst',
      body: null,
      response: { 200: sealCertificateAnswer },
      handle: async ({ principal, params: { orgEtsi }, context }) => {
        await admit(principal);
        return certificateReply(
          await issueCertificate(orgEtsi, byRelyingParty(context, principal, orgEtsi)),
        );
      },
    }),
    route({
      ...common,
      name: 'seal',
      summary: 'Seals a digest for an organization',
      method: 'POST',
      path: '/v3/seal/:orgEtsi',
      hot: true,
      underLoad: 'refuseFirst',
      body: digestBody,
      response: { 200: sealAnswer },
      handle: async ({ principal, params: { orgEtsi: register }, body: { digest }, context }) => {
        await admit(principal);
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

/** Lets a relying party on, until its requests are too many. */
export function limitedBy({
  rateLimit,
  requestsPerMinute,
}: Pick<SealApi, 'rateLimit' | 'requestsPerMinute'>): (party: RelyingPartyFact) => Promise<void> {
  return async (party) => {
    await rateLimit.consume(party.relyingPartyId, party.requestsPerMinute ?? requestsPerMinute);
  };
}

/** The context of a command a relying party gives. */
export function byRelyingParty(
  context: RequestContext,
  { relyingPartyId }: RelyingPartyFact,
  correlationId: string,
): CommandContext {
  return commandContext(context, { kind: 'relyingParty', id: relyingPartyId }, correlationId);
}
