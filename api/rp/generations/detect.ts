import { z } from 'zod';
import {
  base64,
  byteLength,
  commonFields,
  detected,
  fileName,
  rpChallenge,
  shownText,
} from './common.ts';
import { certificateChoice, linkedSignature, nestedAuthentication, nestedSignature } from './g2.ts';
import { digestLength, hashTypes } from '../../../domain/shared/digest.ts';

// First generation of the wire protocol, flat (contract §1 G1).

const interaction = z.object({
  type: z.literal(
    'displayTextAndPIN',
    'Must be "displayTextAndPIN"; the other types are of the second generation, whose interactions are one Base64 text.',
  ),
  displayText60: shownText(60),
});

const flat = {
  ...commonFields,
  generation: detected('G1'),
  signatureProtocol: z.literal('ACSP_V2', 'The signatureProtocol must be ACSP_V2.'),
  interactions: z
    .array(interaction)
    .min(1, 'Exactly one interaction is needed; this has 0.')
    .max(1, {
      error: ({ input }) =>
        `Exactly one interaction is needed; this has ${(input as readonly unknown[]).length}.`,
    }),
};

/** Body of a flat authentication. */
const flatAuthentication = z
  .object({ ...flat, rpChallenge })
  .transform(({ rpChallenge: challenge, ...body }) => ({
    fileName: null,
    nested: null,
    content: { kind: 'AUTHENTICATION' as const, rpChallenge: challenge, hashType: null },
    ...body,
  }));

/** Body of a flat signature. */
const flatSignature = z
  .object({
    ...flat,
    fileName,
    digest: base64,
    hashType: z
      .enum(hashTypes)
      .nullish()
      .transform((type) => type ?? 'SHA256'),
  })
  .refine(({ digest, hashType }) => byteLength(digest) === digestLength[hashType], {
    path: ['digest'],
    message: 'The length of the digest is not that of hashType (SHA256 when absent).',
  })
  .transform(({ digest, hashType, ...body }) => ({
    nested: null,
    content: { kind: 'SIGNATURE' as const, digest, hashType },
    ...body,
  }));

/** Field that reveals a retired protocol: version 2, and 3.0 with its `ACSP_V1`; null: none. */
function outdatedField(body: object): string | null {
  if ('allowedInteractionsOrder' in body && !('interactions' in body)) {
    return 'allowedInteractionsOrder';
  }
  return (body as { signatureProtocol?: unknown }).signatureProtocol === 'ACSP_V1'
    ? 'signatureProtocol'
    : null;
}

/** Detects the generation of a session-creating body (contract §1). */
function detectGeneration(body: object): 'OUTDATED' | 'G1' | 'G2' {
  if (outdatedField(body) !== null) return 'OUTDATED';
  const { interactions, signatureProtocolParameters } = body as Record<string, unknown>;
  const isNested =
    typeof interactions === 'string' ||
    (typeof signatureProtocolParameters === 'object' && signatureProtocolParameters !== null);
  return isNested ? 'G2' : 'G1';
}

/**
 * Adds the detected generation to the body, so that only its own schema parses it and reports
 * faults.
 */
function naming(generationOf: (body: object) => string) {
  return (body: unknown): unknown =>
    typeof body === 'object' && body !== null && !Array.isArray(body)
      ? { ...body, generation: generationOf(body) }
      : body;
}

const named = naming(detectGeneration);
const namedNested = naming((body) => (outdatedField(body) === null ? 'G2' : 'OUTDATED'));

/** Body of a retired protocol, parsed only as far as the refusal needs the relying party. */
const outdated = z
  .looseObject({
    generation: z.literal('OUTDATED'),
    relyingPartyUUID: commonFields.relyingPartyUUID,
  })
  .transform((body) => ({ ...body, field: outdatedField(body) ?? 'signatureProtocol' }))
  .meta({ internal: true });

/** Body of the authentication POSTs of both generations. */
export const authenticationBody = z.preprocess(
  named,
  z.discriminatedUnion('generation', [flatAuthentication, nestedAuthentication, outdated]),
);

/** Body of the signature POSTs of both generations. */
export const signatureBody = z.preprocess(
  named,
  z.discriminatedUnion('generation', [flatSignature, nestedSignature, outdated]),
);

/** Body of a signature that continues a certificate choice; second generation only. */
export const linkedSignatureBody = z.preprocess(
  namedNested,
  z.discriminatedUnion('generation', [linkedSignature, outdated]),
);

/** Body of the certificate choice POSTs. */
export const certificateChoiceBody = z.preprocess(
  namedNested,
  z.discriminatedUnion('generation', [certificateChoice, outdated]),
);

/** Body of the certificate query. */
export const certificateQueryBody = z.object({
  relyingPartyUUID: commonFields.relyingPartyUUID,
  relyingPartyName: commonFields.relyingPartyName,
  certificateLevel: commonFields.certificateLevel,
});

export type StartBody =
  | z.output<typeof authenticationBody>
  | z.output<typeof signatureBody>
  | z.output<typeof linkedSignatureBody>
  | z.output<typeof certificateChoiceBody>;
